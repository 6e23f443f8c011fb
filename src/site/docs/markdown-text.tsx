/** @jsxImportSource hono/jsx */
/** Markdown as elements of a page. Every text in it is escaped; of tags only those that fold a text are kept. */
import type { MarkedToken, Token, Tokens } from 'marked'
import { type Child, markupOf } from '../http/html.ts'
import { type CardPlace, Code, type ColumnHead, Section, Table } from '../ui/page-parts.tsx'
import { InlineCode } from '../ui/text.tsx'
import { blocksOf, type Heading, headingOf, plainText } from './lexer.ts'

/** Sections below headings of level 2. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <>
      {sectionsOf(blocksOf(text), 2).map(({ heading, blocks }) => {
        const body = <Blocks blocks={blocks} heading={heading} />
        if (!heading?.id) return body
        if (heading.isEntry) return <Entry heading={heading}>{body}</Entry>
        return (
          <Section id={heading.id} title={<Line tokens={heading.title} />}>
            {body}
          </Section>
        )
      })}
    </>
  )
}

interface BlockSection {
  heading: Heading | undefined
  blocks: MarkedToken[]
}

/** Divides blocks at headings of this level that have an id. A fold never begins or ends within a section of level 3. */
function sectionsOf(blocks: readonly MarkedToken[], depth: 2 | 3): BlockSection[] {
  const sections: BlockSection[] = [{ heading: undefined, blocks: [] }]
  for (const block of blocks) {
    const heading = block.type === 'heading' ? headingOf(block) : undefined
    const isHeading = heading?.depth === depth && heading.id !== undefined
    if (isHeading) sections.push({ heading, blocks: [] })
    else if (depth === 3 && block.type === 'html') sections.push({ heading: undefined, blocks: [] })
    if (!isHeading) sections.at(-1)?.blocks.push(block)
  }
  return sections
}

/** @param heading of the section, which tables are labelled with */
function Blocks({ blocks, heading }: { blocks: MarkedToken[]; heading: Heading | undefined }) {
  return (
    <>
      {sectionsOf(blocks, 3).map(({ heading: inner, blocks: own }) => {
        const body = tabsIn(own).map((block) =>
          Array.isArray(block) ? (
            <Tabs programs={block} />
          ) : (
            <Block block={block} label={plainText((inner ?? heading)?.title ?? [])} />
          ),
        )
        return inner ? <Entry heading={inner}>{body}</Entry> : body
      })}
    </>
  )
}

/** A section of many alike: a link to it leads to its upper edge, not to its heading. */
function Entry({ heading, children }: { heading: Heading; children?: Child }) {
  const Level = heading.depth === 2 ? 'h2' : 'h3'
  const titleId = `${heading.id}-title`
  return (
    <section class="entry" id={heading.id} aria-labelledby={titleId}>
      <Level id={titleId}>
        <Line tokens={heading.title} />
      </Level>
      {children}
    </section>
  )
}

function Block({ block, label }: { block: MarkedToken; label: string }): Child {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Line tokens={block.tokens} />
        </p>
      )
    case 'heading':
      return (
        <h3>
          <Line tokens={block.tokens} />
        </h3>
      )
    case 'code':
      return <Program program={block} />
    case 'list':
      return <List list={block} />
    case 'table':
      return <MarkdownTable table={block} label={label} />
    case 'html':
      return folds(block.text)
    default:
      throw new Error(`a page of the documentation has a block of ${block.type}`)
  }
}

/** A list; one of links to sections of the page is its index. */
function List({ list }: { list: Tokens.List }) {
  const items = (
    <ul>
      {list.items.map(({ tokens }) => (
        <li>
          <Line tokens={tokens} />
        </li>
      ))}
    </ul>
  )
  return list.raw.startsWith('- [') &&
    list.items.every(({ raw }) => /\]\(#[^)]*\)\n?$/.test(raw)) ? (
    <nav class="index" aria-label="Sections">
      {items}
    </nav>
  ) : (
    items
  )
}

/** Columns that need no label on a card, by their heads. */
const CARD_PLACES: Readonly<Record<string, CardPlace>> = {
  Type: 'end',
  Code: 'end',
  Credits: 'unit',
  Meaning: 'line',
  'Values and their records': 'line',
  'When it comes, and what it says': 'line',
}

function MarkdownTable({ table, label }: { table: Tokens.Table; label: string }) {
  const columns = table.header.map(({ text, align }): ColumnHead => {
    const card = text.startsWith('What it ') ? 'line' : CARD_PLACES[text]
    return { label: text, isNumber: align === 'right', ...(card && { card }) }
  })
  return (
    <Table
      label={table.header[0]?.text === 'Field' ? `Fields of ${label}` : label}
      isCards
      columns={columns}
      rows={table.rows.map((cells) => cells.map(({ tokens }) => <Line tokens={tokens} />))}
    />
  )
}

/** The language of a program, and the name of its tab if it is one of several. */
function infoOf({ lang = '' }: Tokens.Code) {
  const [language, tab] = lang.split(' ')
  return { language: language || undefined, tab }
}

/** Puts programs with names of tabs that follow each other into one array. */
function tabsIn(blocks: readonly MarkedToken[]): (MarkedToken | Tokens.Code[])[] {
  const grouped: (MarkedToken | Tokens.Code[])[] = []
  for (const block of blocks) {
    const last = grouped.at(-1)
    if (block.type !== 'code' || !infoOf(block).tab) grouped.push(block)
    else if (Array.isArray(last)) last.push(block)
    else grouped.push([block])
  }
  return grouped
}

/** A program in several languages: one shows at a time, which a radio button selects without a script. */
function Tabs({ programs }: { programs: readonly Tokens.Code[] }) {
  const tabs = programs.map((program) => {
    const { tab = '' } = infoOf(program)
    return { program, tab, value: tab.toLowerCase() }
  })
  return (
    <div class="examples">
      <fieldset class="tabs">
        <legend class="unseen">Language of the example</legend>
        {tabs.map(({ tab, value }, position) => (
          <label>
            <input
              type="radio"
              name="language"
              value={value}
              checked={position === 0}
              autocomplete="off"
            />
            {tab}
          </label>
        ))}
      </fieldset>
      {tabs.map(({ program, value }) => (
        <div class={`example ${value}`}>
          <Program program={program} />
        </div>
      ))}
    </div>
  )
}

/** Code with a button that copies it, unless it is data. A command's address may break before a part of it. */
function Program({ program }: { program: Tokens.Code }) {
  const { text } = program
  const { language } = infoOf(program)
  if (language !== 'sh') {
    return (
      <Code
        isCommand={language !== undefined && language !== 'json'}
        text={text}
        language={language}
      />
    )
  }
  return (
    <Code isCommand text={text} language={language}>
      {text.split(/(?<=[^:/])(?=[/?&])/).map((part, position) => (
        <>
          {position > 0 ? <wbr /> : null}
          {part}
        </>
      ))}
    </Code>
  )
}

/** Letters of Hebrew, Arabic and their like, in values of records. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/

/** Tokens within a line. */
function Line({ tokens }: { tokens: readonly Token[] }): Child {
  return <>{(tokens as readonly MarkedToken[]).map(inline)}</>
}

function inline(token: MarkedToken): Child {
  switch (token.type) {
    case 'codespan':
      if (RIGHT_TO_LEFT.test(token.text)) return <code dir="auto">{token.text}</code>
      return <InlineCode text={token.text} />
    case 'link':
      return (
        <a href={token.href}>
          <Line tokens={token.tokens} />
        </a>
      )
    case 'strong':
      return (
        <strong>
          <Line tokens={token.tokens} />
        </strong>
      )
    case 'html':
      return folds(token.text)
    case 'text':
      return token.tokens ? <Line tokens={token.tokens} /> : token.text
    case 'escape':
      return token.text
    default:
      throw new Error(`a page of the documentation has a ${token.type} within a line`)
  }
}

/** Keeps tags that fold a text, and shows anything else as text. */
function folds(html: string): Child {
  return html
    .split(/(<\/?(?:details|summary|p)(?: class="[\w-]+")?>)/)
    .map((part, i) => (i % 2 === 1 ? markupOf(part) : part))
}
