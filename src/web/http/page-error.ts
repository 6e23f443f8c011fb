/** Thrown to answer with an error page: `title` is its heading, `message` tells the reader what to do. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  readonly title: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    title: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.title = title
    this.headers = headers
  }
}
