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

/** Title of the page for an unsupported value in an address. */
export const ADDRESS_MISTAKE = 'That address has a mistake in it'

/** @param expected what the parameter takes, as `a whole number from 1 to 100` */
export const addressMistake = (parameter: string, expected: string): PageError =>
  new PageError(400, ADDRESS_MISTAKE, `${parameter}: expected ${expected}.`)

/** The name of a field or parameter as it was sent, shortened for a message. */
export const shownName = (name: string): string =>
  name.replaceAll('\0', '').slice(0, 40).toWellFormed() || 'a name'

/** Refuses an address whose query has a NUL, which is no text: PostgreSQL stores none. @throws PageError 400 */
export function checkQuery(url: string): void {
  if (!url.includes('%00')) return
  for (const [name, value] of new URLSearchParams(url.replace(/^[^?]*/, ''))) {
    if (`${name}${value}`.includes('\0'))
      throw addressMistake(shownName(name), 'text without a NUL character')
  }
}

/** The client hung up before its request was whole: nobody waits for the answer. */
export class ClientLeft extends PageError {
  constructor() {
    super(400, 'The form did not arrive whole', 'Send it again from its page.')
  }
}
