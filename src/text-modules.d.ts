/** Files imported `with { type: 'text' }`. */
declare module '*.sql' {
  const text: string
  export default text
}
declare module '*.css' {
  const text: string
  export default text
}
declare module '*.svg' {
  const text: string
  export default text
}
declare module '*.client.js' {
  const text: string
  export default text
}
