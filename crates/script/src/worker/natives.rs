//! The functions that the scope's own JavaScript gets from Rust, as `kernel.native`. User code never sees them.
//!
//! Bytes come in as base64 and go out as `Uint8Array`: reading a typed array of the engine in place is not safe.

use super::state::{State, throw_full, to_json};
use super::url as address;
use crate::wire::MAX_LINE;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rquickjs::function::Opt;
use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Exception, Function, IntoJs, Object, Result, TypedArray, Value};
use serde_json::value::RawValue;
use sha2::Digest;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The longest arguments of an op, in bytes of JSON; a line holds a little more.
const MOST_ARGUMENTS: usize = MAX_LINE - 64 * 1024;

/// Fixes the lifetimes of a closure with one argument beside the context.
fn one<F>(f: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, Value<'js>) -> Result<Value<'js>>,
{
    f
}

/// The same with two arguments.
fn two<F>(f: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, Value<'js>, Value<'js>) -> Result<Value<'js>>,
{
    f
}

/// The same with three.
fn three<F>(f: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, Value<'js>, Value<'js>, Opt<Value<'js>>) -> Result<Value<'js>>,
{
    f
}

/// Makes the object with all natives.
pub fn make<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    ops(ctx, state, &native)?;
    timers(ctx, state, &native)?;
    output(ctx, state, &native)?;
    bytes(ctx, &native)?;
    addresses(ctx, &native)?;
    Ok(native)
}

fn ops<'js>(ctx: &Ctx<'js>, state: &Rc<State>, native: &Object<'js>) -> Result<()> {
    let shared = Rc::clone(state);
    let op = two(move |ctx, name, args| {
        if let Err(full) = shared.room_for_op() {
            return Err(throw_full(&ctx, full));
        }
        let name: String = name.get()?;
        let json = to_json(&ctx, args)?;
        if json.len() > MOST_ARGUMENTS {
            let mib = MOST_ARGUMENTS / (1024 * 1024);
            let message = format!("a call takes {mib} MiB at most: write or send it in parts");
            return Err(Exception::throw_range(&ctx, &message));
        }
        let raw = RawValue::from_string(json).map_err(|e| Exception::throw_type(&ctx, &e.to_string()))?;
        let (id, promise) = shared.op(&ctx, name, raw)?;
        let pair = Array::new(ctx.clone())?;
        #[expect(clippy::cast_precision_loss, reason = "a scope never has 2^53 ops")]
        pair.set(0, id as f64)?;
        pair.set(1, promise)?;
        Ok(pair.into_value())
    });
    native.set("op", Function::new(ctx.clone(), op)?)?;
    let promise_state = one(|ctx, value| {
        let Some(promise) = value.as_promise() else { return Ok(Value::new_undefined(ctx)) };
        let pair = Array::new(ctx.clone())?;
        match promise.state() {
            PromiseState::Pending => pair.set(0, "pending")?,
            PromiseState::Resolved => {
                pair.set(0, "fulfilled")?;
                pair.set(1, promise.result::<Value>().unwrap_or(Err(rquickjs::Error::Unknown))?)?;
            }
            PromiseState::Rejected => {
                pair.set(0, "rejected")?;
                // Asking throws the reason.
                drop(promise.result::<Value>());
                pair.set(1, ctx.catch())?;
            }
        }
        Ok(pair.into_value())
    });
    native.set("promiseState", Function::new(ctx.clone(), promise_state)?)?;
    let shared = Rc::clone(state);
    native.set("background", Function::new(ctx.clone(), move |id: f64| shared.background(whole(id)))?)?;
    let shared = Rc::clone(state);
    let info = one(move |ctx, _| {
        let json = shared.info.borrow().clone();
        ctx.json_parse(json)
    });
    native.set("info", Function::new(ctx.clone(), info)?)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an id that we gave, or nothing's"
)]
fn whole(id: f64) -> u64 {
    id.max(0.0) as u64
}

fn timers<'js>(ctx: &Ctx<'js>, state: &Rc<State>, native: &Object<'js>) -> Result<()> {
    let shared = Rc::clone(state);
    let after = two(move |ctx, ms, run| {
        let ms = ms.as_number().unwrap_or(0.0);
        let run: Function = run.get()?;
        match shared.after(&ctx, ms, run) {
            #[expect(clippy::cast_precision_loss, reason = "a scope never sets 2^53 timers")]
            Ok(id) => (id as f64).into_js(&ctx),
            Err(full) => Err(throw_full(&ctx, full)),
        }
    });
    native.set("after", Function::new(ctx.clone(), after)?)?;
    let shared = Rc::clone(state);
    native.set("cancelTimer", Function::new(ctx.clone(), move |id: f64| shared.cancel_timer(whole(id)))?)?;
    let began = state.began;
    native.set("now", Function::new(ctx.clone(), move || began.elapsed().as_secs_f64() * 1_000.0)?)?;
    let wall =
        || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1_000.0);
    native.set("wall", Function::new(ctx.clone(), wall)?)
}

fn output<'js>(ctx: &Ctx<'js>, state: &Rc<State>, native: &Object<'js>) -> Result<()> {
    let shared = Rc::clone(state);
    let print = move |level: String, text: String| shared.print(level, text);
    native.set("print", Function::new(ctx.clone(), print)?)?;
    let shared = Rc::clone(state);
    let image = two(move |ctx, mime, base64| match shared.image(mime.get()?, base64.get()?) {
        Ok(()) => Ok(Value::new_undefined(ctx)),
        Err(full) => Err(throw_full(&ctx, full)),
    });
    native.set("image", Function::new(ctx.clone(), image)?)
}

fn decoded(ctx: &Ctx<'_>, base64: &Value<'_>) -> Result<Vec<u8>> {
    let text: String = base64.get()?;
    STANDARD.decode(text).map_err(|e| Exception::throw_type(ctx, &e.to_string()))
}

fn array<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    Ok(TypedArray::<u8>::new_copy(ctx.clone(), bytes)?.into_value())
}

fn bytes<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let encode = one(|ctx, text| {
        let text: String = text.get()?;
        array(&ctx, text.as_bytes())
    });
    native.set("utf8Encode", Function::new(ctx.clone(), encode)?)?;
    let decode = two(|ctx, base64, fatal| {
        let bytes = decoded(&ctx, &base64)?;
        let text = if fatal.as_bool().unwrap_or(false) {
            String::from_utf8(bytes)
                .map_err(|_| Exception::throw_type(&ctx, "the bytes are not valid UTF-8"))?
        } else {
            String::from_utf8_lossy(&bytes).into_owned()
        };
        text.into_js(&ctx)
    });
    native.set("utf8Decode", Function::new(ctx.clone(), decode)?)?;
    let digest = two(|ctx, algorithm, base64| {
        let bytes = decoded(&ctx, &base64)?;
        let algorithm: String = algorithm.get()?;
        match algorithm.as_str() {
            "SHA-256" => array(&ctx, &sha2::Sha256::digest(bytes)),
            "SHA-384" => array(&ctx, &sha2::Sha384::digest(bytes)),
            "SHA-512" => array(&ctx, &sha2::Sha512::digest(bytes)),
            _ => Ok(Value::new_undefined(ctx)),
        }
    });
    native.set("digest", Function::new(ctx.clone(), digest)?)?;
    let random = one(|ctx, count| {
        let count = usize::try_from(count.as_int().unwrap_or(0)).unwrap_or(0).min(65_536);
        let mut bytes = vec![0; count];
        getrandom::fill(&mut bytes).map_err(|e| Exception::throw_internal(&ctx, &e.to_string()))?;
        array(&ctx, &bytes)
    });
    native.set("random", Function::new(ctx.clone(), random)?)
}

fn addresses<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let parse = two(|ctx, input, base| {
        let input: String = input.get()?;
        let base: Option<String> = base.get()?;
        match address::parse(&input, base.as_deref()) {
            Some(parts) => ctx.json_parse(parts),
            None => Ok(Value::new_null(ctx)),
        }
    });
    native.set("url", Function::new(ctx.clone(), parse)?)?;
    let set = three(|ctx, href, part, value| {
        let href: String = href.get()?;
        let part: String = part.get()?;
        let value: String = value.0.map_or(Ok(String::new()), |value| value.get())?;
        match address::set(&href, &part, &value) {
            Some(parts) => ctx.json_parse(parts),
            None => Ok(Value::new_null(ctx)),
        }
    });
    native.set("urlSet", Function::new(ctx.clone(), set)?)
}
