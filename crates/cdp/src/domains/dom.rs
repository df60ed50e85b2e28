//! Nodes: finding them, their place, their files.

use crate::protocol::commands;
use crate::{BackendNodeId, Empty, ExecutionContextId, FrameId, RemoteObjectId, domains::runtime};
use serde::{Deserialize, Serialize};

commands! {
    Enable = "DOM.enable" -> Empty;
    GetFrameOwner = "DOM.getFrameOwner" -> FrameOwner;
    DescribeNode = "DOM.describeNode" -> Described;
    ResolveNode = "DOM.resolveNode" -> Resolved;
    SetFileInputFiles = "DOM.setFileInputFiles" -> Empty;
    GetContentQuads = "DOM.getContentQuads" -> Quads;
    ScrollIntoViewIfNeeded = "DOM.scrollIntoViewIfNeeded" -> Empty;
    GetBoxModel = "DOM.getBoxModel" -> BoxModelOf;
}

/// Asks for the events of this domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Enable {}

/// Asks which element holds a frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetFrameOwner {
    /// The frame.
    pub frame_id: FrameId,
}

/// Describes a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DescribeNode {
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The node as an object; instead of `backend_node_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
    /// How deep children are described; -1 for all, 1 when none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<i64>,
    /// Whether frames and shadow roots are gone into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pierce: Option<bool>,
}

/// Gives a node as an object of a world.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResolveNode {
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The group that the object is kept in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_group: Option<String>,
    /// The world; none for the page's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_context_id: Option<ExecutionContextId>,
}

/// Puts files into a file input.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetFileInputFiles {
    /// Absolute paths.
    pub files: Vec<String>,
    /// The input element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The input element as an object; instead of `backend_node_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}

/// Asks where a node is seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetContentQuads {
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The node as an object; instead of `backend_node_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}

/// Scrolls until a node is seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScrollIntoViewIfNeeded {
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The node as an object; instead of `backend_node_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}

/// Asks for a node's boxes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GetBoxModel {
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend_node_id: Option<BackendNodeId>,
    /// The node as an object; instead of `backend_node_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<RemoteObjectId>,
}

/// The element that holds a frame.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FrameOwner {
    /// The element.
    pub backend_node_id: BackendNodeId,
}

/// A node.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Described {
    /// What is known of it.
    pub node: Node,
}

/// What is known of a node.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Node {
    /// The node.
    pub backend_node_id: BackendNodeId,
    /// The DOM's number: 1 element, 3 text, 9 document, 11 fragment.
    pub node_type: i64,
    /// The name; upper case for HTML elements.
    pub node_name: String,
    /// The local name.
    pub local_name: String,
    /// The text.
    pub node_value: String,
    /// How many children it has.
    pub child_node_count: Option<i64>,
    /// The children that were asked for.
    pub children: Vec<Node>,
    /// Names and values by turns.
    pub attributes: Vec<String>,
    /// For documents, the address.
    #[serde(rename = "documentURL")]
    pub document_url: Option<String>,
    /// For shadow roots: `open`, `closed` or `user-agent`.
    pub shadow_root_type: Option<String>,
    /// For elements that hold a frame, that frame.
    pub frame_id: Option<FrameId>,
    /// For elements that hold a frame of this process, its document.
    pub content_document: Option<Box<Node>>,
    /// The shadow roots.
    pub shadow_roots: Vec<Node>,
}

/// A node as an object.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resolved {
    /// The object.
    pub object: runtime::RemoteObject,
}

/// Where a node is seen, in CSS pixels of the viewport.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Quads {
    /// Each four corners, x and y by turns, clockwise from the upper left.
    pub quads: Vec<Vec<f64>>,
}

/// A node's boxes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BoxModelOf {
    /// The boxes.
    pub model: BoxModel,
}

/// A node's boxes, each as four corners, in CSS pixels of the viewport.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BoxModel {
    /// The content.
    pub content: Vec<f64>,
    /// With padding.
    pub padding: Vec<f64>,
    /// With border.
    pub border: Vec<f64>,
    /// With margin.
    pub margin: Vec<f64>,
    /// The width.
    pub width: i64,
    /// The height.
    pub height: i64,
}
