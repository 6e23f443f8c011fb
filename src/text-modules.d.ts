/** Files imported `with { type: 'text' }`. */
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.css' {
  const text: string
  export default text
}
declare module '*.md' {
  const text: string
  export default text
}
declare module '*.svg' {
  const text: string
  export default text
}
/** A picture's bytes in base64; line breaks don't count. */
declare module '*.base64' {
  const text: string
  export default text
}
declare module '*.template' {
  const text: string
  export default text
}
declare module '*.client.js' {
  const text: string
  export default text
}

/** Files imported `with { type: 'bytes' }`, for `readImported` (`runtime.ts`). */
declare module '*.br' {
  const file: import('./runtime.ts').ImportedFile
  export default file
}
declare module '@electric-sql/pglite/pglite.wasm' {
  const file: import('./runtime.ts').ImportedFile
  export default file
}
declare module '@electric-sql/pglite/pglite.data' {
  const file: import('./runtime.ts').ImportedFile
  export default file
}
declare module '@cf-wasm/photon/photon.wasm' {
  const file: import('./runtime.ts').ImportedFile
  export default file
}
