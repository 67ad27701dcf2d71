/** The page that builds the rules of a reward. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { LOCALES } from '../../../lib/languages/languages.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { RewardInputs } from '../../../lib/pages/forms/reward-fields.tsx'
import { Done, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Conflict } from '../../../lib/rules/rewards/conflicts.ts'
import type { Rule } from '../../../lib/rules/rewards/rewards.ts'
import { tierNames } from '../../../lib/rules/tiers/tiers.ts'
import type { SoldProduct } from '../../../lib/tracking/events/sold-products.queries.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'
import { rowLabels } from '../fields/row-fields.tsx'
import { Preview, SaveOrPreview, TERMS_FORM } from '../programs/what-if.tsx'
import { Caps } from './cap-fields.tsx'
import { FACT_LABELS, type Form, PRODUCTS } from './condition-fields.tsx'
import { CAPS, type Draft } from './draft.ts'
import type { RewardOwner } from './owners.ts'
import { Rules } from './rule-fields.tsx'
import { type Trial, TrySale } from './try-fields.tsx'
import { TryLead } from './try-lead.tsx'

/** What the page says of a reward for sales, and of one for leads. */
const WORDS = {
  sale: { title: m.rewards_of, intro: m.rewards_intro, newTerms: m.rewards_new_terms },
  lead: {
    title: m.rewards_lead_of,
    intro: m.rewards_lead_intro,
    newTerms: m.rewards_lead_new_terms,
  },
}

export const titleOf = ({ event }: Pick<RewardOwner, 'event'>) => WORDS[event].title

export type RewardPageProps = {
  base: string
  /** Whose reward it is. */
  owner: Pick<RewardOwner, 'name' | 'path' | 'action' | 'event' | 'otherwise' | 'program'>
  draft: Draft
  focus: string | null
  errors: ErrorDetail[]
  /** The rules, if the draft is complete, and those of them that never apply. */
  rules: Rule[]
  conflicts: Conflict[]
  trial: Trial
  products: SoldProduct[]
  whatIf?: WhatIf | undefined
  done?: Message | undefined
}

export const RewardPage = (props: RewardPageProps) => {
  const { base, owner, draft, focus, errors, rules, trial, products, whatIf, done } = props
  const conflicts = new Map(
    props.conflicts.map((conflict) => [conflict.rule, conflictWords(conflict, rules)]),
  )
  const { action, event } = owner
  const words = WORDS[event]
  const tiers = tierNames(owner.program.tiers)
  const form: Form = { event, edit: `${action}/edit`, errors, focus, tiers }
  const Trial = event === 'sale' ? TrySale : TryLead
  return (
    <>
      <LinkLine href={owner.path}>{owner.name}</LinkLine>
      <h1>{t(words.title, { name: owner.name })}</h1>
      <Done message={done} />
      <Problem errors={[...errors, ...trial.errors]} labels={labelsOf(errors)} />
      {whatIf && (
        <>
          <h2>{t(m.layout_preview)}</h2>
          <Preview {...{ base, whatIf }} label={t(m.rewards_save)} />
          <h2>{t(m.rewards_title)}</h2>
        </>
      )}
      <p>{t(words.intro)}</p>
      <p class="hint">{t(words.newTerms)}</p>
      <form method="post" action={action} id={TERMS_FORM} class="editor">
        {/* The Enter key presses the first button, which must not save. */}
        <button
          type="submit"
          class="hidden"
          tabindex={-1}
          formaction={form.edit}
          formnovalidate
          name="do"
          value="try"
        >
          {t(m.rewards_try_button)}
        </button>
        <datalist id={PRODUCTS}>
          {products.map(({ productId, name }) => (
            <option value={productId}>{name ?? productId}</option>
          ))}
        </datalist>
        <div>
          <RewardInputs
            name="reward"
            event={event}
            legend={t(m.rewards_base)}
            {...(owner.otherwise && { none: t(owner.otherwise) })}
            fields={draft.base}
            errors={errors}
          />
          <Rules {...{ form, conflicts }} rules={draft.rules} />
          {event === 'sale' && <Caps form={form} caps={draft.caps} />}
        </div>
        <Trial {...trial} {...{ tiers }} edit={form.edit} />
        {conflicts.size > 0 && (
          <p class="conflict">
            {t(m.rewards_conflicts, { count: conflicts.size })}{' '}
            {[...conflicts.keys()].map((i) => (
              <a href={`#rules.${i}`}>{t(m.rewards_rule_number, { number: String(i + 1) })}</a>
            ))}
          </p>
        )}
        <SaveOrPreview action={action} label={t(m.rewards_save)} />
      </form>
    </>
  )
}

/** Which rule or cap each error is of. */
const labelsOf = (errors: ErrorDetail[]): Record<string, string> => ({
  ...rowLabels(errors, 'rules', m.rewards_rule_number),
  ...rowLabels(errors, CAPS, m.rewards_cap_number),
})

/** Why a rule never applies. */
const conflictWords = (conflict: Conflict, rules: Rule[]): string => {
  if (conflict.reason === 'impossible') {
    const { fact } = conflict
    return fact
      ? t(m.rewards_conflict_fact, { fact: t(FACT_LABELS[fact]) })
      : t(m.rewards_conflict_impossible)
  }
  if (conflict.reason === 'unknown_tier') {
    const names = conflict.tiers.map((tier) => t(m.reward_tier, { tier }))
    return t(m.rewards_conflict_tier, {
      count: names.length,
      tiers: new Intl.ListFormat(LOCALES.en).format(names),
    })
  }
  const { by, reason } = conflict
  return t(reason === 'covered' ? m.rewards_conflict_covered : m.rewards_conflict_always, {
    by: String(by + 1),
    other: rules[by]?.name ?? '',
  })
}
