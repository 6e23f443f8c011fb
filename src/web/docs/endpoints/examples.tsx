/** @jsxImportSource hono/jsx */
/** An endpoint's example in each language: one shows at a time, which a radio button chooses without a script. */
import { Code } from '../../components/page-parts.tsx'
import { Unsearched } from '../document.tsx'
import { LANGUAGES, type Language } from './example-call.ts'

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
