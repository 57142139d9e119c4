(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(enum_variant name: (identifier) @name) @def.enum_member
(trait_item name: (type_identifier) @name) @def.interface
(associated_type name: (type_identifier) @name) @def.alias
(impl_item type: [
  (type_identifier) @scope
  (generic_type type: (type_identifier) @scope)
  (scoped_type_identifier name: (type_identifier) @scope)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @scope))
  (reference_type type: (type_identifier) @scope)
] @name) @def.extension
(impl_item type: (_) @scope @name) @def.extension
(mod_item name: (identifier) @name) @def.module
(field_declaration name: (field_identifier) @name) @def.field
(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable
(type_item name: (type_identifier) @name) @def.alias
(macro_definition name: (identifier) @name) @def.macro
(closure_expression) @closure
(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute

(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression field: (field_identifier) @ref.call))
(call_expression function: (scoped_identifier name: (identifier) @ref.call))
(call_expression function: (generic_function function: (identifier) @ref.call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @ref.call)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @ref.call)))
(macro_invocation macro: (identifier) @ref.call)
(macro_invocation macro: (scoped_identifier name: (identifier) @ref.call))
(use_declaration argument: (identifier) @ref.import)
(use_declaration argument: (scoped_identifier name: (identifier) @ref.import))
(use_list (identifier) @ref.import)
(use_list (scoped_identifier name: (identifier) @ref.import))
(use_as_clause path: (identifier) @ref.import)
(use_as_clause path: (scoped_identifier name: (identifier) @ref.import))
(use_as_clause alias: (identifier) @ref.import)
(type_identifier) @ref.type
(identifier) @ref
(field_identifier) @ref
(shorthand_field_identifier) @ref
