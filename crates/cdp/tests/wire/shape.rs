//! Compares types with the browser's own description of the protocol: names, kinds, what is required.
//!
//! A type is asked to read itself from a reader that answers every question, and writes down each question
//! to which the description has no answer.

use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Value, json};
use std::cell::RefCell;

/// How deep types that hold themselves are followed.
const DEPTH: usize = 6;

/// The browser's description, and what does not fit it.
pub struct Protocol {
    description: Value,
    problems: RefCell<Vec<String>>,
}

impl Protocol {
    pub fn new(description: Value) -> Self {
        Protocol { description, problems: RefCell::default() }
    }

    /// Everything that did not fit.
    pub fn problems(self) -> Vec<String> {
        let mut problems = self.problems.into_inner();
        problems.sort();
        problems.dedup();
        problems
    }

    /// Checks a command and its answer.
    pub fn command<C: truehand_cdp::Command + for<'a> Deserialize<'a>>(&self) {
        let command = self.entry(C::METHOD, "commands", "name");
        self.fields::<C>(C::METHOD, &command["parameters"], true);
        self.fields::<C::Response>(&format!("{} answer", C::METHOD), &command["returns"], false);
    }

    /// Checks an event.
    pub fn event<E: truehand_cdp::CdpEvent>(&self) {
        let event = self.entry(E::METHOD, "events", "name");
        self.fields::<E>(E::METHOD, &event["parameters"], false);
    }

    fn problem(&self, path: &str, what: &str) {
        self.problems.borrow_mut().push(format!("{path}: {what}"));
    }

    fn entry(&self, name: &str, list: &str, key: &str) -> Value {
        let (domain, name) = name.split_once('.').expect("domain and name");
        let domains = self.description["domains"].as_array().expect("domains");
        let found = domains
            .iter()
            .find(|entry| entry["domain"] == domain)
            .and_then(|entry| entry[list].as_array()?.iter().find(|entry| entry[key] == name));
        found.cloned().unwrap_or_else(|| {
            self.problem(&format!("{domain}.{name}"), "not in the protocol");
            Value::Null
        })
    }

    fn fields<T: for<'a> Deserialize<'a>>(&self, path: &str, properties: &Value, sent: bool) {
        let properties = if properties.is_null() { json!([]) } else { properties.clone() };
        let domain = path.split('.').next().expect("a domain").to_owned();
        let schema = json!({ "type": "object", "properties": properties });
        let asker = Asker { protocol: self, domain, schema, path: path.to_owned(), depth: DEPTH, sent };
        if let Err(error) = T::deserialize(asker) {
            self.problem(path, &error.to_string());
        }
    }
}

/// A place in the description that a type reads itself from.
struct Asker<'p> {
    protocol: &'p Protocol,
    domain: String,
    schema: Value,
    path: String,
    depth: usize,
    /// Whether the type is sent, so that what the protocol requires must be there.
    sent: bool,
}

impl Asker<'_> {
    fn resolved(mut self) -> Self {
        while let Some(name) = self.schema["$ref"].as_str() {
            let full = if name.contains('.') { name.to_owned() } else { format!("{}.{name}", self.domain) };
            self.domain = full.split('.').next().expect("a domain").to_owned();
            self.schema = self.protocol.entry(&full, "types", "id");
        }
        self
    }

    fn expect(self, kinds: &[&str]) -> Self {
        let asker = self.resolved();
        if !asker.schema["type"].as_str().is_some_and(|kind| kinds.contains(&kind)) {
            asker.protocol.problem(&asker.path, &format!("is {}, not {kinds:?}", asker.schema["type"]));
        }
        asker
    }

    fn at(&self, step: &str, schema: Value) -> Self {
        Asker {
            protocol: self.protocol,
            domain: self.domain.clone(),
            schema,
            path: format!("{}{step}", self.path),
            depth: self.depth - 1,
            sent: self.sent,
        }
    }
}

impl<'de> Deserializer<'de> for Asker<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.expect(&["boolean"]);
        visitor.visit_bool(true)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.expect(&["integer"]);
        visitor.visit_i64(1)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.expect(&["number", "integer"]);
        visitor.visit_f64(1.0)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // Binary is base64 on a JSON transport.
        self.expect(&["string", "binary"]);
        visitor.visit_str("")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.sent && self.schema["optional"] != true {
            self.protocol.problem(&self.path, "may be left out here, but the protocol requires it");
        }
        if self.depth == 0 { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let asker = self.expect(&["array"]);
        let item = (asker.depth > 0).then(|| asker.at("[]", asker.schema["items"].clone()));
        visitor.visit_seq(Items(item))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let asker = self.expect(&["object"]);
        let properties = asker.schema["properties"].as_array().cloned().unwrap_or_default();
        if asker.sent {
            for property in &properties {
                let name = property["name"].as_str().expect("a name");
                if property["optional"] != true && !fields.contains(&name) {
                    asker.protocol.problem(&asker.path, &format!("{name} is required and missing"));
                }
            }
        }
        let mut present = Vec::new();
        for field in fields {
            match properties.iter().find(|property| property["name"] == *field) {
                Some(property) if asker.depth > 0 => {
                    present.push((*field, asker.at(&format!(".{field}"), property.clone())));
                }
                Some(_) => {}
                // An object without properties is one that the protocol leaves to the embedder.
                None if asker.schema["properties"].is_null() => {}
                None => asker.protocol.problem(&asker.path, &format!("{field} is not in the protocol")),
            }
        }
        visitor.visit_map(Fields { rest: present.into_iter(), value: None })
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 char str bytes byte_buf unit unit_struct tuple tuple_struct
        map enum identifier ignored_any
    }
}

struct Items<'p>(Option<Asker<'p>>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.take().map(|asker| seed.deserialize(asker)).transpose()
    }
}

struct Fields<'p> {
    rest: std::vec::IntoIter<(&'static str, Asker<'p>)>,
    value: Option<Asker<'p>>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, asker)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(asker);
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.value.take().expect("a key came before"))
    }
}
