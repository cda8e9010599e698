//! Every shader against the host, without a GPU: it is valid, and structs, bindings and sizes are the same.

use std::mem::offset_of;

use naga::proc::Layouter;
use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{AddressSpace, GlobalVariable, Handle, Module, StorageAccess, Type, TypeInner};

use super::kernel::Mapping;
use super::layout::{Cell, Doc, Params, STORAGE_BINDINGS, Word};
use crate::device::{Exchange, TEAMS};

/// Lanes that devices run together.
const WIDTHS: [u32; 5] = [4, 8, 16, 32, 64];

/// What WebGPU promises every shader of workgroup memory.
const WORKGROUP_MEMORY: u32 = 16 << 10;

/// A struct's name, size, and its fields as (name, offset, size).
type Layout = (String, u32, Vec<(String, u32, u32)>);

macro_rules! host_layout {
    ($host:ident { $($field:ident),* }) => {
        (
            stringify!($host).to_owned(),
            size_of::<$host>() as u32,
            vec![$((
                stringify!($field).to_owned(),
                offset_of!($host, $field) as u32,
                size_of_val(&$host::default().$field) as u32,
            )),*],
        )
    };
}

/// The structs that cross.
fn host_layouts() -> [Layout; 3] {
    [
        host_layout!(Params {
            key,
            iteration,
            k_star,
            budget,
            doc_begin,
            doc_end,
            d_at,
            d_dense,
            topics_at,
            counts_at,
            list_at,
            list_capacity,
            whole_begin,
            whole_docs,
            progress_at,
            heads_at,
            slots_at,
            num_slots,
            stride
        }),
        host_layout!(Doc { first, tokens, index }),
        host_layout!(Word { mass, start, sizes, blocks }),
    ]
}

/// What each storage binding is an array of.
fn host_element(binding: &str) -> (Option<&'static str>, u32) {
    match binding {
        "docs" => (Some("Doc"), size_of::<Doc>() as u32),
        "words" => (Some("Word"), size_of::<Word>() as u32),
        "w" | "cells" => (None, size_of::<Cell>() as u32),
        _ => (None, size_of::<u32>() as u32),
    }
}

/// A shader that naga accepts, with the sizes of its types.
struct Shader {
    module: Module,
    layouter: Layouter,
}

impl Shader {
    fn new(mapping: Mapping, exchange: Exchange, width: u32) -> Self {
        let source = mapping.source(exchange, width);
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{mapping:?}: {}", error.emit_to_string(&source)));
        Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP)
            .subgroup_stages(ShaderStages::COMPUTE)
            .subgroup_operations(SubgroupOperationSet::all())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{mapping:?}: {}", error.emit_to_string(&source)));
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).unwrap();
        Self { module, layouter }
    }

    fn size(&self, ty: Handle<Type>) -> u32 {
        self.layouter[ty].size
    }

    fn struct_layout(&self, name: &str) -> Layout {
        let mut types = self.module.types.iter();
        let (_, ty) = types.find(|(_, ty)| ty.name.as_deref() == Some(name)).expect("the struct is there");
        let TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is not a struct") };
        let members = members.iter().map(|member| {
            (member.name.clone().expect("members have names"), member.offset, self.size(member.ty))
        });
        (name.to_owned(), *span, members.collect())
    }

    fn globals(&self) -> impl Iterator<Item = &GlobalVariable> {
        self.module.global_variables.iter().map(|(_, global)| global)
    }

    /// Workgroup memory as WebGPU counts it: each variable rounded up to 16 bytes.
    fn workgroup_bytes(&self) -> u32 {
        self.globals()
            .filter(|global| global.space == AddressSpace::WorkGroup)
            .map(|global| self.size(global.ty).next_multiple_of(16))
            .sum()
    }
}

/// Every mapping on every device.
fn for_each_shader(check: impl Fn(Mapping, u32, &Shader)) {
    for width in WIDTHS {
        for mapping in TEAMS.map(Mapping::Team).into_iter().chain([Mapping::Whole]) {
            for exchange in Exchange::ALL.into_iter().filter(|&one| mapping.can_exchange(one, width)) {
                check(mapping, width, &Shader::new(mapping, exchange, width));
            }
        }
    }
}

#[test]
fn structs_are_the_hosts() {
    for (name, size, fields) in host_layouts() {
        // Pod structs have no gaps, so no field has been left out above but padding.
        let padding = if name == "Word" { 4 } else { 0 };
        assert_eq!(fields.iter().map(|field| field.2).sum::<u32>() + padding, size, "{name}");
    }
    for_each_shader(|mapping, _, shader| {
        for host in host_layouts() {
            assert_eq!(shader.struct_layout(&host.0), host, "{mapping:?}");
        }
    });
}

#[test]
fn bindings_are_the_hosts() {
    for_each_shader(|mapping, _, shader| {
        let bound: Vec<_> = shader.globals().filter(|global| global.binding.is_some()).collect();
        assert_eq!(bound.len(), 1 + STORAGE_BINDINGS.len(), "{mapping:?}");
        for (number, global) in (0..).zip(bound) {
            let binding = global.binding.expect("only those are listed");
            let name = global.name.as_deref().expect("bindings have names");
            assert_eq!((binding.group, binding.binding), (0, number), "{mapping:?}: {name}");
            if number == 0 {
                assert_eq!((name, &global.space), ("params", &AddressSpace::Uniform));
                assert_eq!(shader.module.types[global.ty].name.as_deref(), Some("Params"));
            } else {
                check_storage(shader, global, STORAGE_BINDINGS[number as usize - 1]);
            }
        }
    });
}

fn check_storage(shader: &Shader, global: &GlobalVariable, (name, written): (&str, bool)) {
    assert_eq!(global.name.as_deref(), Some(name));
    let store = if written { StorageAccess::STORE } else { StorageAccess::empty() };
    assert_eq!(global.space, AddressSpace::Storage { access: StorageAccess::LOAD | store }, "{name}");
    let types = &shader.module.types;
    let TypeInner::Array { base, stride, .. } = types[global.ty].inner else {
        panic!("{name} is not an array")
    };
    assert_eq!((types[base].name.as_deref(), stride), host_element(name), "{name}");
}

#[test]
fn a_workgroup_is_as_wide_as_its_lanes() {
    for_each_shader(|mapping, width, shader| {
        let [entry_point] = &shader.module.entry_points[..] else {
            panic!("{mapping:?} has one entry point")
        };
        assert_eq!(entry_point.name, "sample_z", "{mapping:?}");
        assert_eq!(entry_point.workgroup_size, [mapping.lanes(width), 1, 1], "{mapping:?}");
    });
}

#[test]
fn workgroup_memory_stays_within_the_promised() {
    for_each_shader(|mapping, _, shader| {
        assert!(shader.workgroup_bytes() <= WORKGROUP_MEMORY, "{mapping:?}: {}", shader.workgroup_bytes());
    });
}
