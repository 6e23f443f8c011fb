/** @jsxImportSource hono/jsx */
/** An endpoint's example in each language: one shows at a time, which a radio button chooses without a script. */
import { Code, Curl } from '../ui/page-parts.tsx'
import { Unsearched } from './document.tsx'
import { firstCallUrl, LANGUAGES, type Language } from './example-call.ts'
import type { ExampleValues } from './example-values.ts'

/** @param url the address that the example asks */
export function Examples({ url }: { url: string }) {
  const languages: [string, Language][] = Object.entries(LANGUAGES)
  return (
    <Unsearched>
      <div class="examples">
        <fieldset class="tabs">
          <legend class="unseen">Language of the example</legend>
          {languages.map(([name, { label }], position) => (
            <label>
              <input
                type="radio"
                name="language"
                value={name}
                checked={position === 0}
                autocomplete="off"
              />
              {label}
            </label>
          ))}
        </fieldset>
        {languages.map(([name, { programOf, tag }]) => (
          <div class={`example ${name}`}>
            {tag === 'sh' ? (
              <Command text={programOf(url)} />
            ) : (
              <Code isCommand text={programOf(url)} language={tag} />
            )}
          </div>
        ))}
      </div>
    </Unsearched>
  )
}

/** Where the directory has no record that an example could find. */
export function NothingYet({ isShown }: { isShown: boolean }) {
  if (!isShown) return null
  return (
    <Unsearched>
      <p class="note">
        Nothing is in this directory yet that the example could find: a list is empty, for the same
        price, and a single record is a 404, which is free.
      </p>
    </Unsearched>
  )
}

/** The first call that is charged, as pages tell it. */
export function FirstCall({ baseUrl, examples }: { baseUrl: string; examples: ExampleValues }) {
  return (
    <>
      <Curl url={firstCallUrl(baseUrl, examples)} />
      <NothingYet isShown={!examples.search} />
    </>
  )
}

/** A command whose address may break before a part of it; what is copied is the command. */
function Command({ text }: { text: string }) {
  return (
    <Code isCommand text={text} language="sh">
      {text.split(/(?<=[^:/])(?=[/?&])/).map((part, i) => (
        <>
          {i > 0 ? <wbr /> : null}
          {part}
        </>
      ))}
    </Code>
  )
}
