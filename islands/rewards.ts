/** The script of pages with rewards: updates the examples while the form is filled in. */
import type { Fields } from '../lib/http/validate.ts'
import * as m from '../lib/languages/messages.ts'
import { moneyFormat } from '../lib/languages/number-format.ts'
import { numberIn, readReward } from '../lib/pages/forms/read-reward.ts'
import { leadExampleWords, saleExampleOf } from '../lib/pages/forms/reward-example.ts'
import type { RewardTerms } from '../lib/rules/rewards/rewards.ts'
import type { SaleTerms } from '../lib/rules/steps/reward-example.ts'
import { isCurrency, parseMoney } from '../lib/values/money.ts'
import { t } from './text.ts'

const fieldsOf = (form: HTMLFormElement): Fields =>
  Object.fromEntries(
    [...new FormData(form)]
      .map(([name, value]) => [name, String(value).trim()])
      .filter(([, value]) => value),
  )

/** The entered reward: null for none, undefined while it is invalid. */
const rewardIn = (name: string, fields: Fields): RewardTerms | null | undefined => {
  const { reward, problems } = readReward(name, fields)
  if (problems.length > 0) return undefined
  if (reward === null) return null
  if ('percent' in reward) {
    const { percent = Number.NaN } = reward
    return percent >= 0 && percent <= 100
      ? { kind: 'percent', basisPoints: Math.round(percent * 100) }
      : undefined
  }
  const { amountCents, currency } = reward
  return amountCents && isCurrency(currency) ? { kind: 'flat', amountCents, currency } : undefined
}

/** The other entered terms of a program. */
const termsIn = (fields: Fields, reward: RewardTerms): SaleTerms | undefined => {
  const months = numberIn(fields, 'rewardDurationMonths') ?? null
  const minimum = parseMoney(fields.oneTimeMinimumCents ?? '0', 'USD')
  if (minimum === null || (months !== null && !(months >= 1 && months <= 1_200))) return undefined
  return {
    reward,
    rewardInterval: fields.rewardInterval === 'one-time' ? 'one-time' : 'recurring',
    rewardDurationMonths: months,
    oneTimeMinimumCents: minimum,
    oneTimePer: fields.oneTimePer === 'product' ? 'product' : 'customer',
  }
}

const exampleOf = ({ name, dataset }: HTMLOutputElement, fields: Fields): string | undefined => {
  const money = moneyFormat(dataset.locale ?? 'en', dataset.codes === 'true')
  const reward = rewardIn(name, fields)
  if (reward === undefined) return undefined
  if (dataset.event === 'lead') return leadExampleWords(reward, money)
  const program: SaleTerms | undefined = dataset.program && JSON.parse(dataset.program)
  const terms = program
    ? { ...program, reward: reward ?? program.reward }
    : reward && termsIn(fields, reward)
  return terms ? saleExampleOf(terms, new Date(), money) : undefined
}

for (const output of document.querySelectorAll<HTMLOutputElement>('output.example')) {
  const { form } = output
  form?.addEventListener('input', () => {
    const words = exampleOf(output, fieldsOf(form))
    output.hidden = words === undefined
    if (words) output.value = t(m.programs_example_as_entered, { example: words })
  })
}
