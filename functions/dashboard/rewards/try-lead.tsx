/** A lead that a manager tries beside the rules. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import { decideReward } from '../../../lib/rules/decisions/decide.ts'
import type { RewardTerms } from '../../../lib/rules/rewards/rewards.ts'
import { dayOf } from '../../../lib/values/days.ts'
import {
  fieldsIn,
  OtherFields,
  TierField,
  type Trial,
  TryButton,
  type TryProps,
} from './try-fields.tsx'
import {
  clickIn,
  type Others,
  partnerOf,
  readOthers,
  reasonsIn,
  type Tried,
  triedTier,
} from './try-sale.ts'

/**
 * What a lead earns under a reward that need not be saved; null for none.
 * @param reward undefined while the rules are incomplete
 */
export const leadTrial = (
  entered: Fields,
  program: Program,
  reward: RewardTerms | null | undefined,
  now: Date,
): Trial => {
  const fields = { 'try.day': dayOf(now), ...entered }
  const errors: ErrorDetail[] = []
  const others = readOthers(fields, errors, now)
  if (errors.length > 0) return { fields, errors, outcome: { why: m.rewards_try_lead_invalid } }
  if (reward === undefined)
    return { fields, errors, outcome: { why: m.rewards_try_lead_incomplete } }
  return { fields, errors, outcome: { tried: tryLead(others, fields, program, reward) } }
}

const tryLead = (
  { at, metadata }: Others,
  fields: Fields,
  program: Program,
  reward: RewardTerms | null,
): Tried => {
  const leadReward = reward && { id: '', ...reward }
  const group = { name: '', saleReward: null, leadReward }
  const tier = triedTier(program.tiers, fields['try.tier'], at)
  const partner = { ...partnerOf(program, program.reward), group, tier }
  const coupon = fields['try.coupon']
  const { commission, steps } = decideReward(
    {
      kind: 'lead',
      externalId: '',
      customerExternalId: '',
      customerEmail: null,
      customerName: null,
      clickId: null,
      eventName: 'lead',
      metadata,
      sale: null,
      country: fields['try.country']?.toUpperCase(),
      ...(coupon && { code: { by: 'coupon', value: coupon } }),
    },
    partner,
    { click: clickIn(fields, partner, at) },
    at,
  )
  return { earned: commission, steps: reasonsIn(steps) }
}

export const TryLead = ({ edit, tiers, ...trial }: TryProps) => (
  <section class="card" aria-labelledby="try">
    <h2 id="try">{t(m.rewards_try_lead)}</h2>
    <p class="hint">{t(m.rewards_try_lead_hint)}</p>
    <OtherFields field={fieldsIn(trial)}>
      <TierField field={fieldsIn(trial)} tiers={tiers} />
    </OtherFields>
    <TryButton edit={edit} label={m.rewards_try_lead_button} outcome={trial.outcome} />
  </section>
)
