/** Messages between the kit in Node and the process of Bun that holds its directories. */

/** One method of a directory, or of an account or a fault of it. All of it is JSON. */
export interface Command {
  /** The directory's number; undefined starts one with `args[0]` as its options. */
  directory?: number
  /** An account's id, or a fault's: the method is its own. */
  account?: string
  fault?: number
  /** A property is read where it is no method. */
  method: string
  args: readonly unknown[]
}

export interface Started {
  directory: number
  url: string
  appUrl: string
}

/** The result of a command, or the error that it threw. */
export type Reply =
  | { result?: unknown }
  | { error: { name: string; message: string; isTypeError: boolean } }

/** Where the process takes commands, as it prints it when it is ready. The token keeps others out. */
export interface Address {
  port: number
  token: string
}

/** Data of the thread that sends commands. It replies on the port that a command came by. */
export interface SenderData extends Address {
  later: import('node:worker_threads').MessagePort
  now: import('node:worker_threads').MessagePort
  /** Changes when the answer to a command of `now` lies in its port. */
  answered: Int32Array
}

export interface Numbered {
  number: number
  command: Command
}

export interface NumberedReply {
  number: number
  /** A `Reply` as JSON: parsed in the test's own realm, as jest has one, its arrays are the test's. */
  reply: string
}
