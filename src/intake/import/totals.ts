/** The line of totals that people and programs put below a table. It is no record: `Total;3` is nobody's name. */

const WORDS = new Set([
  ...[
    'total',
    'totals',
    'grand total',
    'subtotal',
    'sub total',
    'sum',
    'total rows',
    'total records',
  ],
  ...['total count', 'total people', 'total contacts', 'total companies', 'total rounds'],
  ...['summe', 'gesamt', 'gesamtsumme', 'insgesamt', 'somme', 'total général', 'totale', 'totaal'],
  ...[
    'suma',
    'soma',
    'summa',
    'razem',
    'toplam',
    'итого',
    'всего',
    '合計',
    '合计',
    '总计',
    '總計',
    '합계',
    '총계',
  ],
])

/** `3`, `$400M`, `1.200,50 €`, `USD 12`, `85 %`. */
const FIGURE =
  /^[-(]?(?:\p{Sc}|[A-Z]{3} )? ?\d[\d.,'’ ]*(?:[kmb]n?|mio\.?|mln)? ?(?:%|\p{Sc}|[A-Z]{3})?\)?$/iu

/**
 * Whether the cells of a file's last row are a line of totals: the first that is filled is a word for it, the others are figures,
 * and there is at least one. A person of this name who has anything else, or a key, is none.
 * @param isKey whether a column holds keys of records.
 */
export function isTotals(cells: readonly string[], isKey: (column: number) => boolean): boolean {
  const filled = [...cells.entries()].flatMap(([column, cell]) => {
    const text = cell.replace(/\s+/g, ' ').trim()
    return text === '' ? [] : [{ column, text }]
  })
  const [label, ...others] = filled
  if (!label || others.some(({ column }) => isKey(column))) return false
  const word = label.text
    .toLowerCase()
    .replace(/[\d.,:()#= ]+/g, ' ')
    .trim()
  return (
    WORDS.has(word) &&
    others.every(({ text }) => FIGURE.test(text)) &&
    (others.length > 0 || /\d/.test(label.text))
  )
}

export const TOTALS =
  'a line of totals, as it is the last row and has only figures beside a word for it; if it is a record, give it an externalId'
