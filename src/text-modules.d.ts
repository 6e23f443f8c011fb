/** Files imported `with { type: 'text' }`. */
declare module '*.sql' {
  const text: string
  export default text
}
