/** @jsxImportSource hono/jsx */
/** Code to read and to copy. The script adds the copy button. */
import type { Html } from '../http/html.ts'

/** @param isCommand whether it gets a copy button */
export function Code({ text, isCommand = false }: { text: string; isCommand?: boolean }): Html {
  return (
    <div class="code" data-copy={isCommand || undefined}>
      <pre tabindex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}

/** A curl command for a GET of the API; `$API_KEY` stands for the caller's key. */
export function Curl({ url, headers = [] }: { url: string; headers?: readonly string[] }): Html {
  const lines = ['Authorization: Bearer $API_KEY', ...headers].map((header) => `-H "${header}" \\`)
  return <Code isCommand text={`curl ${lines.join('\n  ')}\n  "${url}"`} />
}
