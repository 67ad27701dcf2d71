/** The page with the bonuses of a program. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Field, IDENTIFIER, Select } from '../../../lib/pages/forms/fields.tsx'
import { Done, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { type Bonus, MAX_BONUSES } from '../../../lib/rules/bonuses/bonuses.ts'
import type { EditedForm } from '../fields/edit-button.tsx'
import { Rows, rowLabels } from '../fields/row-fields.tsx'
import { BONUSES } from './bonuses-draft.ts'
import { MEASURE_OPTIONS } from './thresholds.ts'

const WORDS = {
  heading: m.bonuses_list,
  number: m.bonuses_number,
  none: m.bonuses_none,
  add: m.bonuses_add,
  tooMany: m.bonuses_too_many,
}

type BonusesPageProps = {
  /** The path of the program. */
  path: string
  name: string
  saved: Bonus[]
  rows: Fields[]
  focus: string | null
  errors: ErrorDetail[]
  done?: Message | undefined
}

export const BonusesPage = (props: BonusesPageProps) => {
  const { path, name, saved, rows, focus, errors, done } = props
  const action = `${path}/bonuses`
  const form: EditedForm = { edit: `${action}/edit`, errors, focus }
  return (
    <>
      <LinkLine href={path}>{name}</LinkLine>
      <h1>{t(m.bonuses_of, { name })}</h1>
      <Done message={done} />
      <Problem errors={errors} labels={rowLabels(errors, BONUSES, m.bonuses_number)} />
      <p>{t(m.bonuses_intro)}</p>
      <p class="hint">{t(m.bonuses_when)}</p>
      <form method="post" action={action} class="rows">
        {/* The Enter key presses the first button. */}
        <button type="submit" class="hidden" tabindex={-1}>
          {t(m.bonuses_save)}
        </button>
        <Rows
          {...{ form, rows }}
          list={BONUSES}
          most={MAX_BONUSES}
          words={WORDS}
          fieldsOf={(row, at, isFocused) => (
            <BonusFields
              {...{ row, at, isFocused, errors }}
              saved={saved.find((bonus) => bonus.name === row.name)}
            />
          )}
        />
        <p class="actions">
          <button type="submit">{t(m.bonuses_save)}</button>
        </p>
      </form>
    </>
  )
}

type BonusProps = {
  row: Fields
  at: string
  isFocused: boolean
  errors: ErrorDetail[]
  saved: Bonus | undefined
}

const BonusFields = ({ row, at, isFocused, errors, saved }: BonusProps) => {
  const field = (name: string) => ({ name: `${at}.${name}`, value: row[name], errors })
  const amount = { inputmode: 'decimal', autocomplete: 'off', class: 'short' }
  const currency = { ...IDENTIFIER, maxlength: 3, class: 'short' }
  return (
    <div class="measure">
      {saved && <p class="hint">{t(m.bonuses_since, { day: saved.since })}</p>}
      <Field
        {...field('name')}
        label={t(m.layout_name)}
        hint={t(m.bonuses_name_hint)}
        maxlength={100}
        autocomplete="off"
        autofocus={isFocused}
      />
      <div class="values">
        <Select
          {...field('by')}
          label={t(m.tiers_by)}
          options={MEASURE_OPTIONS}
          value={row.by ?? 'netSales'}
        />
        <Field {...field('from')} label={t(m.bonuses_at)} {...amount} />
        <div data-measure="netSales">
          <Field
            {...field('currency')}
            label={t(m.layout_currency)}
            {...currency}
            value={row.currency ?? 'USD'}
          />
        </div>
      </div>
      <div class="values">
        <Field {...field('amount')} label={t(m.bonuses_pays)} {...amount} />
        <Field
          {...field('paysCurrency')}
          label={t(m.bonuses_pays_currency)}
          {...currency}
          value={row.paysCurrency ?? 'USD'}
        />
      </div>
    </div>
  )
}
