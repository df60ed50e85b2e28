//! Whose a line was that could not be read whole, so that its sender is told and does not wait for ever.

use serde_json::Value;

/// The `id` at the top level of a JSON object, or null. The line may be cut off, nested too deep, or hold
/// what the parser refuses: only its strings and brackets are followed, and only the id is parsed.
pub(super) fn request_id(line: &[u8]) -> Value {
    find(line).unwrap_or_default()
}

fn find(line: &[u8]) -> Option<Value> {
    let (mut depth, mut at) = (0_usize, 0);
    if line.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    while let Some(byte) = line.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let end = at + string_length(&line[at..])?;
                let after = line[end..].trim_ascii_start();
                // A value is followed by a comma or a bracket, so this is a key.
                if depth == 1
                    && &line[at..end] == b"\"id\""
                    && let Some(value) = after.strip_prefix(b":")
                {
                    return scalar(value.trim_ascii_start());
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The length of the string that the bytes begin with, with both its quotes.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut escaped = false;
    let end = bytes.iter().skip(1).position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map(|end| end + 2)
}

/// The text or number that the bytes begin with; one that reaches to the end may have been cut.
fn scalar(bytes: &[u8]) -> Option<Value> {
    let length = match bytes.first()? {
        b'"' => string_length(bytes)?,
        b'-' | b'0'..=b'9' => {
            bytes.iter().position(|b| matches!(b, b',' | b'}') || b.is_ascii_whitespace())?
        }
        _ => return None,
    };
    serde_json::from_slice(&bytes[..length]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn id_is_found_in_lines_that_can_not_be_read() {
        let deep = format!(r#"{{"params":{{"x":{}{}}},"id":"d1"}}"#, "[".repeat(10_000), "]".repeat(10_000));
        for (line, id) in [
            (r#"{"id":7,"params":{"text":"\ud800"}}"#, json!(7)),
            (r#"{ "params": {"id": 1, "s": "\"id\":2}"}, "id" : "a\"b" , "method": "x"#, json!("a\"b")),
            (r#"{"jsonrpc":"2.0","id":-3,"params":{"text":"cut o"#, json!(-3)),
            (r#"{"n":1e999,"id":1.5}"#, json!(1.5)),
            (deep.as_str(), json!("d1")),
        ] {
            assert!(serde_json::from_str::<Value>(line).is_err(), "{line} is sound");
            assert_eq!(request_id(line.as_bytes()), id, "{}", &line[..line.len().min(60)]);
        }
    }

    #[test]
    fn no_id_is_made_up() {
        for line in [
            "",
            "{",
            "nonsense",
            r#"["id",3]"#,
            r#"[{"id":3},"#,
            r#"{"id":{"id":3}}"#,
            r#"{"id":12"#,
            r#"{"id":"12"#,
            r#"{"a":"id","b":3}"#,
            r#"{"a":"\"id\":3"#,
            r#"}{"id":3}"#,
            r#"{"id":true}"#,
        ] {
            assert_eq!(request_id(line.as_bytes()), Value::Null, "{line}");
        }
        assert_eq!(request_id(b"\xff{\"id\":3}"), Value::Null);
    }
}
