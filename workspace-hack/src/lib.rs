//! Nothing but a manifest: the features that this workspace's packages need of their dependencies,
//! chosen once, so that building one package rebuilds no dependency of another.
