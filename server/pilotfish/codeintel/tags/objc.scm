; With the queries of c.scm, which are read first.
(class_interface . (identifier) @name) @def.class
(class_implementation . (identifier) @name) @def.class
(protocol_declaration . (identifier) @name) @def.interface
(method_declaration (identifier) @name) @def.method
(method_definition (identifier) @name) @def.method
(message_expression method: (identifier) @ref.call)
