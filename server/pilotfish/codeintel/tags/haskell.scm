(header module: (module (module_id) @name .)) @def.module
(data_type name: (name) @name constructors: (data_constructors (data_constructor (record)))) @def.struct
(data_type name: (name) @name) @def.enum
(newtype name: (name) @name) @def.struct
(type_synomym name: (name) @name) @def.alias
(type_family name: (name) @name) @def.alias
(data_family name: (name) @name) @def.alias
(class name: (name) @name) @def.interface
(instance patterns: (type_patterns . [
  (name) @scope
  (parens (apply constructor: (name) @scope))
  (parens (apply constructor: (apply constructor: (name) @scope)))
] @name)) @def.extension
(instance patterns: (type_patterns . (_) @name)) @def.extension
(data_constructor constructor: (_ name: (constructor) @name)) @def.enum_member
(gadt_constructor name: (constructor) @name) @def.enum_member
(newtype_constructor name: (constructor) @name) @def.enum_member
(field name: (field_name (variable) @name) type: (_)) @def.field
(signature name: (variable) @name) @def.function
(signature names: (binding_list name: (variable) @name)) @def.function
(signature name: (prefix_id (operator) @name)) @def.function
(function name: (variable) @name) @def.function
(function name: (prefix_id (operator) @name)) @def.function
(function (infix operator: (operator) @name)) @def.function
(declarations (bind name: (variable) @name) @def.function)
(class_declarations (bind name: (variable) @name) @def.function)
(instance_declarations (bind name: (variable) @name) @def.function)
(bind name: (variable) @name) @def.variable
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @def.function
(lambda) @closure
(haddock) @comment
(comment) @comment
(pragma) @attribute

(apply function: (variable) @ref.call)
(apply function: (constructor) @ref.call)
(apply function: (qualified id: (_) @ref.call))
(import module: (module (module_id) @ref.import .))
(import_name variable: (variable) @ref.import)
(import_name type: (name) @ref.import)
(name) @ref.type
(variable) @ref
(constructor) @ref
