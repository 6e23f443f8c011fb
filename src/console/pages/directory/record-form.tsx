/** @jsxImportSource hono/jsx */
/** The form of a record: its fields in groups, several beside one another on a desk, and each group folded on a phone. */
import type { RecordKind, ShownRecord } from '../../../intake/editing/records.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { Child } from '../../../site/http/html.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Checkbox } from '../../../site/ui/fields.tsx'
import { Form, problemOf } from '../../../site/ui/form.tsx'
import { Notice, Section } from '../../../site/ui/page-parts.tsx'
import { figure } from '../../../site/ui/text.tsx'
import { recordPath } from '../../ui/paths.ts'
import { FLAGS, type FormField, formFields, RecordField, textsOf } from './fields.tsx'
import { pinsOf } from './pins.tsx'

/** The groups of each kind, in their order. Fields that no group names are in the last one. */
const GROUPS: Readonly<Record<RecordKind, Readonly<Record<string, readonly string[]>>>> = {
  company: {
    'Name and kind': ['name', 'companyType', 'altRoles', 'lifecycle'],
    Profile: ['sectors', 'chains', 'size', 'aiSummary'],
    Links: ['domain', 'twitterHandle', 'linkedinUrl', 'discordUrl', 'communityLink', 'logoUrl'],
    Token: ['ticker', 'tokenLaunched', 'tokenLink'],
    'Account on X': ['followers', 'handleHistory', 'twitterRisk'],
    'As an investor': ['fundType', 'entityKind', 'fundAllTimeRoiPct', 'trustTier', 'trustTierRank'],
  },
  person: {
    Name: ['firstName', 'lastName'],
    Work: ['jobTitle', 'company', 'contactType', 'roles'],
    'Public profile': ['twitterHandle', 'avatarUrl', 'isCreator', 'creatorFollowerCount'],
    'Private channels': Object.keys(FLAGS),
  },
  round: {
    Round: ['company', 'roundType', 'roundEventName', 'amountUsd', 'announceDate'],
    Investors: ['leadInvestors', 'investors'],
  },
}
const LAST = 'Keys and date'

interface Group {
  title: string
  fields: FormField[]
}

function groupsOf(kind: RecordKind): Group[] {
  const all = formFields(kind)
  const groups = Object.entries(GROUPS[kind]).map(([title, names]) => ({
    title,
    fields: names.flatMap((name) => all.filter(([field]) => field === name)),
  }))
  const placed = new Set(groups.flatMap(({ fields }) => fields.map(([name]) => name)))
  return [...groups, { title: LAST, fields: all.filter(([name]) => !placed.has(name)) }]
}

interface RecordFormProps {
  context: SignedInContext
  kind: RecordKind
  record: ShownRecord
  errors: FormErrors | undefined
}

/** The form that changes a record. */
export function RecordForm({ context, kind, record, errors }: RecordFormProps) {
  const refused = problemOf(errors, '')
  return (
    <Section id="fields" title="Fields">
      {refused ? <Notice tone="bad">{refused}</Notice> : null}
      <Form context={context} action={recordPath(kind, record.id)} class="form sheet">
        <FieldGroups kind={kind} record={record} errors={errors} />
        <PinBox errors={errors}>Imports leave what I change as it is</PinBox>
        <Submit>Save</Submit>
      </Form>
    </Section>
  )
}

interface FieldGroupsProps extends Omit<RecordFormProps, 'context'> {
  isNew?: boolean
}

/** All fields of a kind, in their groups. */
export function FieldGroups({ kind, record, errors, isNew = false }: FieldGroupsProps) {
  const texts = textsOf(kind, record)
  const pins = new Set(pinsOf(record))
  const isOnFile = (name: string) => record[FLAGS[name] ?? ''] === true
  return (
    <>
      {groupsOf(kind).map(({ title, fields }, place) => (
        <details
          class="group"
          open={place === 0 || fields.some(([name]) => problemOf(errors, name))}
        >
          <summary>
            {title}{' '}
            <span class="quiet">{filled(fields, (name) => texts[name] || isOnFile(name))}</span>
          </summary>
          <h3>{title}</h3>
          <div class="fields">
            {fields.map(([name, field]) => (
              <RecordField
                name={name}
                field={field}
                text={texts[name] ?? ''}
                isPinned={pins.has(name)}
                isOnFile={field.isPrivate === true && isOnFile(name)}
                isNew={isNew}
                errors={errors}
              />
            ))}
          </div>
        </details>
      ))}
    </>
  )
}

/** Whether what is written is pinned: it is unless somebody says otherwise. */
export const PinBox = ({
  errors,
  children,
}: {
  errors: FormErrors | undefined
  children: Child
}) => (
  <Checkbox
    name="pin"
    isTicked={errors ? errors.form.get('pin') === 'yes' : true}
    hint="Else the next import that has these fields replaces them."
  >
    {children}
  </Checkbox>
)

/** “3 of 6”. */
const filled = (fields: readonly FormField[], isFilled: (name: string) => unknown) =>
  `${figure(fields.filter(([name]) => isFilled(name)).length)} of ${figure(fields.length)}`
