/** An object whose parts are worked out when they are first looked at, each once. */
export function lazily<T extends object>(parts: { readonly [Key in keyof T]: () => T[Key] }): T {
  const whole = {} as T;
  for (const key of Object.keys(parts) as (keyof T)[]) {
    Object.defineProperty(whole, key, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = parts[key]();
        Object.defineProperty(whole, key, { enumerable: true, value });
        return value;
      },
    });
  }
  return whole;
}
