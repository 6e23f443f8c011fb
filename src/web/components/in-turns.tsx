/** @jsxImportSource hono/jsx */
/** Long pages are written piece by piece, so that calls of the API are answered between two of them. */
import { setTimeout } from 'node:timers/promises'
import { type Child, type Html, isInVain } from '../http/html.ts'

/** Rows of a list or a table that are written in a fraction of a millisecond, once compiled. */
const PIECE = 10
/** Calls get this long after each piece, because one needs several turns of the event loop. */
const REST_MS = 1

let last: Promise<unknown> = Promise.resolve()

/** Resolves to one after the other, whichever pages they write. */
function turn(): Promise<unknown> {
  last = last.then(() => setTimeout(REST_MS))
  return last
}

/** Writes what it holds when its turn comes. */
export async function InTurn({ children }: { children?: Child }): Promise<Html | null> {
  await turn()
  if (isInVain()) return null
  return <>{children}</>
}

/** Writes a list in pieces. The first goes with what stands before it: short lists wait for nothing. */
export function InTurns({ parts }: { parts: readonly Child[] }): Html {
  const rest = Array.from({ length: Math.ceil(parts.length / PIECE) - 1 }, (_, i) =>
    parts.slice((i + 1) * PIECE, (i + 2) * PIECE),
  )
  return (
    <>
      {parts.slice(0, PIECE)}
      {rest.map((piece) => (
        <InTurn>{piece}</InTurn>
      ))}
    </>
  )
}
