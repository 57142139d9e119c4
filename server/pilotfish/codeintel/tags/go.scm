; A declaration of one thing is all of it; of several, each is its own.
(type_declaration . (type_spec name: (type_identifier) @name type: (struct_type)) .) @def.struct
(type_declaration . (type_spec name: (type_identifier) @name type: (interface_type)) .) @def.interface
(type_declaration . (type_spec name: (type_identifier) @name) .) @def.alias
(type_declaration . (type_alias name: (type_identifier) @name) .) @def.alias
(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_spec name: (type_identifier) @name) @def.alias
(type_alias name: (type_identifier) @name) @def.alias
(field_declaration name: (field_identifier) @name) @def.field
; Its name is that of the type which it embeds.
(field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (qualified_type name: (type_identifier) @name))
]) @def.embedded
(interface_type (type_elem . [
  (type_identifier) @name
  (qualified_type name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (qualified_type name: (type_identifier) @name))
] .) @def.embedded)
(method_elem name: (field_identifier) @name) @def.method
(function_declaration name: (identifier) @name) @def.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope
    (generic_type type: (type_identifier) @scope)
    (pointer_type (type_identifier) @scope)
    (pointer_type (generic_type type: (type_identifier) @scope))
  ]))
  name: (field_identifier) @name) @def.method
(const_declaration . (const_spec name: (identifier) @name) .) @def.constant
(const_spec (identifier) @name) @def.constant
(var_declaration . (var_spec name: (identifier) @name) .) @def.variable
(var_spec name: (identifier) @name) @def.variable
(func_literal) @closure
(comment) @comment

(call_expression function: (identifier) @ref.call)
(call_expression function: (selector_expression field: (field_identifier) @ref.call))
(call_expression function: (type_instantiation_expression type: (_) @ref.call))
(import_spec name: (package_identifier) @ref.import)
(type_identifier) @ref.type
(package_identifier) @ref
(identifier) @ref
(field_identifier) @ref
