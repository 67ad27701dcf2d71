/** The page with the tiers of a program. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { LOCALES } from '../../../lib/languages/languages.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Checkbox, controls, Field, IDENTIFIER, Select } from '../../../lib/pages/forms/fields.tsx'
import { Done, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Group } from '../../../lib/programs/groups.queries.ts'
import { MAX_TIERS } from '../../../lib/rules/tiers/tiers.schemas.ts'
import { TIER_PERIODS, type TierPeriod } from '../../../lib/rules/tiers/tiers.ts'
import type { EditedForm } from '../fields/edit-button.tsx'
import { Rows, rowLabels } from '../fields/row-fields.tsx'
import { MEASURE_OPTIONS } from './thresholds.ts'
import { LEVELS, type TiersDraft } from './tiers-draft.ts'

const PERIODS: Record<TierPeriod, Message> = {
  month: m.tiers_period_month,
  quarter: m.tiers_period_quarter,
  year: m.tiers_period_year,
  ever: m.tiers_period_ever,
}

const LABELS = {
  by: m.tiers_by,
  currency: m.layout_currency,
  period: m.tiers_period,
  timeZone: m.tiers_time_zone,
}

const WORDS = {
  heading: m.tiers_levels,
  number: m.tiers_number,
  none: m.tiers_none,
  add: m.tiers_add,
  tooMany: m.tiers_too_many,
}

type TiersPageProps = {
  /** The path of the program. */
  path: string
  name: string
  draft: TiersDraft
  groups: Group[]
  focus: string | null
  errors: ErrorDetail[]
  /** The tiers that rules ask for, and the program has not. */
  unknown: string[]
  done?: Message | undefined
}

export const TiersPage = (props: TiersPageProps) => {
  const { path, name, draft, groups, focus, errors, unknown, done } = props
  const action = `${path}/tiers`
  const form: EditedForm = { edit: `${action}/edit`, errors, focus }
  return (
    <>
      <LinkLine href={path}>{name}</LinkLine>
      <h1>{t(m.tiers_of, { name })}</h1>
      <Done message={done} />
      <Problem
        errors={errors}
        labels={{ ...LABELS, ...rowLabels(errors, LEVELS, m.tiers_number) }}
      />
      <p>{t(m.tiers_intro)}</p>
      <p class="hint">{t(m.tiers_when)}</p>
      <form method="post" action={action} class="rows">
        {/* The Enter key presses the first button. */}
        <button type="submit" class="hidden" tabindex={-1}>
          {t(m.tiers_save)}
        </button>
        {unknown.length > 0 && (
          <p class="conflict">
            {t(m.tiers_unknown, {
              count: unknown.length,
              names: new Intl.ListFormat(LOCALES.en).format(unknown.map((one) => `“${one}”`)),
            })}
          </p>
        )}
        <Measure base={draft.base} errors={errors} />
        <Rows
          {...{ form }}
          list={LEVELS}
          rows={draft.levels}
          most={MAX_TIERS}
          words={WORDS}
          fieldsOf={(level, at, isFocused) => (
            <Level {...{ level, at, isFocused, groups, errors }} />
          )}
        />
        <p class="actions">
          <button type="submit">{t(m.tiers_save)}</button>
        </p>
      </form>
    </>
  )
}

/** What is counted, and over which time. */
const Measure = ({ base, errors }: { base: Fields; errors: ErrorDetail[] }) => {
  const control = controls(LABELS, { fields: base, errors })
  return (
    <fieldset class="measure">
      <legend>{t(m.tiers_counted)}</legend>
      <div class="values">
        <Select {...control('by')} options={MEASURE_OPTIONS} value={base.by ?? 'netSales'} />
        <div data-measure="netSales">
          <Field
            {...control('currency')}
            {...IDENTIFIER}
            maxlength={3}
            class="short"
            value={base.currency ?? 'USD'}
          />
        </div>
        <Select
          {...control('period')}
          options={TIER_PERIODS.map((value) => ({ value, label: PERIODS[value] }))}
          value={base.period ?? 'month'}
        />
      </div>
      <p class="hint" data-measure="netSales">
        {t(m.tiers_currency_hint)}
      </p>
      <Field
        {...control('timeZone')}
        {...IDENTIFIER}
        hint={t(m.tiers_time_zone_hint)}
        value={base.timeZone ?? 'UTC'}
      />
    </fieldset>
  )
}

type LevelProps = {
  level: Fields
  at: string
  isFocused: boolean
  groups: Group[]
  errors: ErrorDetail[]
}

const Level = ({ level, at, isFocused, groups, errors }: LevelProps) => (
  <>
    <div class="values">
      <Field
        label={t(m.layout_name)}
        name={`${at}.name`}
        maxlength={50}
        autocomplete="off"
        value={level.name}
        errors={errors}
        autofocus={isFocused}
      />
      <Field
        label={t(m.tiers_from)}
        name={`${at}.from`}
        inputmode="decimal"
        autocomplete="off"
        class="short"
        value={level.from}
        errors={errors}
      />
      {groups.length > 0 && (
        <Select
          label={t(m.tiers_group)}
          name={`${at}.groupId`}
          options={[
            { value: '', label: m.tiers_no_group },
            ...groups.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={level.groupId}
          errors={errors}
        />
      )}
    </div>
    {groups.length > 0 && (
      <Checkbox
        label={t(m.tiers_moves_back)}
        name={`${at}.movesBack`}
        checked={level.movesBack !== undefined}
      />
    )}
  </>
)
