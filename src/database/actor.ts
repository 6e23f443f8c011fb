/** The author of a change, as the audit log names them. */

/**
 * Regular expression of the text between the names of `who`, as a command writes it: `Olga (root, sudo ada)`. They stand in the last
 * brackets, because a name may have brackets of its own: `Olga (ops) (root)`.
 */
export const BETWEEN_NAMES = '( \\((sudo )?|, sudo )(?=[^()]*$)'

/** An author, and where they act from. */
export interface Actor {
  via: 'command' | 'page'
  /** The operator who is signed in; null for a command. */
  userId: string | null
  /** Their e-mail address; of a command as `who` of `commands/command.ts` writes it. */
  who: string
  /** The client's address; null for a command. */
  address: string | null
}

/** The author of a change of the directory: the name that a command was given, or the operator of a page. */
export type Author = string | Actor

/** The author of a change that an actor makes. */
export const asAuthor = (by: Actor): Author => (by.via === 'page' ? by : by.who)

/** The name by which the journal knows who made a change. */
export const nameOfAuthor = (author: Author): string =>
  typeof author === 'string' ? author : author.who

/** The part of `chainkin.change` that names the author for the audit log; empty for a command's name. */
export const authorForAudit = (author: Author): { by?: Actor } =>
  typeof author === 'string' ? {} : { by: author }
