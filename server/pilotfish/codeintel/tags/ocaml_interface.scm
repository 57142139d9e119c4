(module_definition (module_binding (module_name) @name)) @def.module
(module_type_definition (module_type_name) @name) @def.interface
(type_binding name: (type_constructor) @name body: (record_declaration)) @def.struct
(type_binding name: (type_constructor) @name body: (variant_declaration)) @def.enum
(type_binding name: (type_constructor) @name) @def.alias
(exception_definition (constructor_declaration (constructor_name) @name)) @def.class
(constructor_declaration (constructor_name) @name) @def.enum_member
(field_declaration (field_name) @name) @def.field
(value_specification (value_name) @name type: (function_type)) @def.function
(value_specification (value_name) @name) @def.constant
(external (value_name) @name) @def.function
(class_type_binding (class_type_name) @name) @def.interface
(method_specification (method_name) @name) @def.method
(comment) @comment
(module_path (module_name) @ref)
(open_module (module_path (module_name) @ref.import .))
(include_module (module_path (module_name) @ref.import .))
(type_constructor) @ref.type
(module_type_name) @ref.type
(class_name) @ref.type
