//! JavaScript: worlds, evaluation, objects, the console.

use crate::protocol::{commands, events};
use crate::{Empty, ExecutionContextId, FrameId, RemoteObjectId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

commands! {
    Enable = "Runtime.enable" -> Empty;
    Evaluate = "Runtime.evaluate" -> Evaluated;
    CallFunctionOn = "Runtime.callFunctionOn" -> Evaluated;
    ReleaseObject = "Runtime.releaseObject" -> Empty;
    ReleaseObjectGroup = "Runtime.releaseObjectGroup" -> Empty;
    RunIfWaitingForDebugger = "Runtime.runIfWaitingForDebugger" -> Empty;
    TerminateExecution = "Runtime.terminateExecution" -> Empty;
    GetProperties = "Runtime.getProperties" -> Properties;
    AddBinding = "Runtime.addBinding" -> Empty;
    RemoveBinding = "Runtime.removeBinding" -> Empty;
}

events! {
    ExecutionContextCreated = "Runtime.executionContextCreated";
    ExecutionContextDestroyed = "Runtime.executionContextDestroyed";
    ExecutionContextsCleared = "Runtime.executionContextsCleared";
    ConsoleApiCalled = "Runtime.consoleAPICalled";
    ExceptionThrown = "Runtime.exceptionThrown";
    BindingCalled = "Runtime.bindingCalled";
}

/// Asks for the events of this domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Enable {}

/// Evaluates an expression.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluate {
    /// The expression.
    pub expression: String,
    /// The group that objects are kept in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_group: Option<String>,
    /// The world; none for the page's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<ExecutionContextId>,
    /// The world by the name that no other process shares; instead of `context_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    /// Whether the result comes as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_by_value: Option<bool>,
    /// Whether a promise is waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub await_promise: Option<bool>,
    /// Whether it counts as caused by a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_gesture: Option<bool>,
    /// Whether top-level `await` and repeated `let` are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repl_mode: Option<bool>,
    /// When the script is ended, in milliseconds. Time spent waiting for a promise does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// Whether `eval` works in it where the page forbids it; true when none.
    #[serde(rename = "allowUnsafeEvalBlockedByCSP", skip_serializing_if = "Option::is_none")]
    pub allow_unsafe_eval_blocked_by_csp: Option<bool>,
    /// Whether it is ended, and nothing done, when it would change something or might.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throw_on_side_effect: Option<bool>,
}

/// Calls a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallFunctionOn {
    /// The function's source.
    pub function_declaration: String,
    /// What `this` is; it also decides the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
    /// The arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<CallArgument>>,
    /// Whether the result comes as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_by_value: Option<bool>,
    /// Whether a promise is waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub await_promise: Option<bool>,
    /// Whether it counts as caused by a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_gesture: Option<bool>,
    /// The world, when there is no object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_context_id: Option<ExecutionContextId>,
    /// The group that objects are kept in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_group: Option<String>,
    /// The world by the name that no other process shares; instead of `execution_context_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_context_id: Option<String>,
    /// Whether it is ended, and nothing done, when it would change something or might.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throw_on_side_effect: Option<bool>,
}

/// Lets go of an object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReleaseObject {
    /// The object.
    pub object_id: RemoteObjectId,
}

/// Lets go of the objects of a group.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReleaseObjectGroup {
    /// The group.
    pub object_group: String,
}

/// Lets a target run that waits since it was attached.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunIfWaitingForDebugger {}

/// Ends the script that is running.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TerminateExecution {}

/// Asks for the properties of an object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetProperties {
    /// The object.
    pub object_id: RemoteObjectId,
    /// Whether inherited ones are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_properties: Option<bool>,
    /// Whether only getters and setters are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessor_properties_only: Option<bool>,
    /// Whether elements of arrays are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub non_indexed_properties_only: Option<bool>,
}

/// An argument: a value or an object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallArgument {
    /// A JSON value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What JSON can't say: `NaN`, `Infinity`, `-0`, `12n`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unserializable_value: Option<String>,
    /// An object of the same world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}

/// What an evaluation gave.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evaluated {
    /// The value, or what was thrown.
    pub result: RemoteObject,
    /// There when it threw.
    pub exception_details: Option<ExceptionDetails>,
}

/// A value in the page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RemoteObject {
    /// `object`, `function`, `undefined`, `string`, `number`, `boolean`, `symbol` or `bigint`.
    #[serde(rename = "type")]
    pub kind: String,
    /// For objects: `array`, `null`, `node`, `error`, `promise` and so on.
    pub subtype: Option<String>,
    /// The constructor's name.
    pub class_name: Option<String>,
    /// The value, when it came as JSON.
    pub value: Option<Value>,
    /// What JSON can't say: `NaN`, `Infinity`, `-0`, `12n`.
    pub unserializable_value: Option<String>,
    /// What a console would print.
    pub description: Option<String>,
    /// The object, when it did not come as JSON.
    pub object_id: Option<RemoteObjectId>,
}

/// What was thrown, and where.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExceptionDetails {
    /// Its number.
    pub exception_id: i64,
    /// A heading such as `Uncaught`.
    pub text: String,
    /// The line, from 0.
    pub line_number: i64,
    /// The column, from 0.
    pub column_number: i64,
    /// The script.
    pub url: Option<String>,
    /// The calls that led there.
    pub stack_trace: Option<StackTrace>,
    /// What was thrown.
    pub exception: Option<RemoteObject>,
    /// The world.
    pub execution_context_id: Option<ExecutionContextId>,
}

/// The calls that led somewhere.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StackTrace {
    /// What began it, when that was asynchronous.
    pub description: Option<String>,
    /// Innermost first.
    pub call_frames: Vec<CallFrame>,
}

/// One call.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallFrame {
    /// The function.
    pub function_name: String,
    /// The script.
    pub url: String,
    /// The line, from 0.
    pub line_number: i64,
    /// The column, from 0.
    pub column_number: i64,
}

/// The properties of an object.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Properties {
    /// One entry each.
    pub result: Vec<PropertyDescriptor>,
    /// There when it threw.
    pub exception_details: Option<ExceptionDetails>,
}

/// One property.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PropertyDescriptor {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<RemoteObject>,
    /// Its getter.
    pub get: Option<RemoteObject>,
    /// Its setter.
    pub set: Option<RemoteObject>,
    /// Whether it is enumerated.
    pub enumerable: bool,
    /// Whether it is not inherited.
    pub is_own: Option<bool>,
}

/// A world.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionContextDescription {
    /// Its number in this session.
    pub id: ExecutionContextId,
    /// The origin of its frame.
    pub origin: String,
    /// Its name; empty for the page's own.
    pub name: String,
    /// The name that no other process shares.
    pub unique_id: String,
    /// What the embedder says.
    pub aux_data: ContextAuxData,
}

/// What the embedder says of a world.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContextAuxData {
    /// Whether it is the page's own.
    pub is_default: bool,
    /// `default`, `isolated` or `worker`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its frame.
    pub frame_id: Option<FrameId>,
}

/// A world came into being, or was there when events were asked for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionContextCreated {
    /// The world.
    pub context: ExecutionContextDescription,
}

/// A world is gone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionContextDestroyed {
    /// The world.
    pub execution_context_id: ExecutionContextId,
    /// The name that no other process shares.
    pub execution_context_unique_id: String,
}

/// All worlds of the session are gone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct ExecutionContextsCleared {}

/// The page wrote to the console. Of a `log`, `debug` or `info` only the kind is there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConsoleApiCalled {
    /// `log`, `debug`, `info`, `error`, `warning`, `trace`, `assert` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it wrote.
    pub args: Vec<RemoteObject>,
    /// The world.
    pub execution_context_id: ExecutionContextId,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// The calls that led there.
    pub stack_trace: Option<StackTrace>,
}

/// Something was thrown and not caught.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExceptionThrown {
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// What.
    pub exception_details: ExceptionDetails,
}

/// Gives every world of the session, also those to come, a function that tells us of its calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AddBinding {
    /// The function's name.
    pub name: String,
}

/// Gives it to no further worlds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RemoveBinding {
    /// The function's name.
    pub name: String,
}

/// A page called such a function.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BindingCalled {
    /// The function's name.
    pub name: String,
    /// The text that it was called with.
    pub payload: String,
    /// The world.
    pub execution_context_id: ExecutionContextId,
}
