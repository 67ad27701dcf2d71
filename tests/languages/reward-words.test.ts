import { expect, test } from 'vitest'
import { LANGUAGES } from '../../lib/languages/languages.ts'
import { translator } from '../../lib/languages/message.ts'
import { rewardWords } from '../../lib/languages/reward-words.ts'
import type { Conditions } from '../../lib/rules/rewards/conditions.ts'
import { formatMoney } from '../../lib/values/money.ts'

const wordsIn = (
  language: (typeof LANGUAGES)[number],
  rules: { name: string; when: Conditions }[],
) =>
  rewardWords(
    {
      kind: 'percent',
      basisPoints: 2_000,
      rules: rules.map((rule) => ({ ...rule, pay: { kind: 'percent', basisPoints: 3_000 } })),
      caps: [
        { per: 'customer', amountCents: 50_000, currency: 'USD' },
        { per: 'partner_month', amountCents: 100_000, currency: 'USD' },
      ],
    },
    'sale',
    { language, t: translator(language), money: formatMoney, figure: String },
  )

const tier = (...names: string[]) => ({ fact: 'tier' as const, in: names })

test('a reward names its tiers and caps in every language', () => {
  const rules = [
    { name: 'Annual', when: { all: [tier('Gold', 'Pro'), { fact: 'coupon' as const }] } },
  ]
  expect(LANGUAGES.map((language) => wordsIn(language, rules))).toEqual([
    '30% for “Annual” in the tiers “Gold” or “Pro”, 20% for everything else, at most 500.00 USD per customer and at most 1,000.00 USD per partner and month',
    '30 % für „Annual“ in den Stufen „Gold“ oder „Pro“, 20 % für alles andere, höchstens 500.00 USD pro Kunde und höchstens 1,000.00 USD pro Partner und Monat',
    '30 % pour « Annual » aux niveaux « Gold » ou « Pro » et 20 % pour tout le reste, au plus 500.00 USD par client et au plus 1,000.00 USD par partenaire et par mois',
    '30 % para «Annual» en los niveles «Gold» o «Pro» y 20 % para todo lo demás, como máximo 500.00 USD por cliente y como máximo 1,000.00 USD por socio y mes',
    '30% para “Annual” nos níveis “Gold” ou “Pro” e 20% para todo o resto, no máximo 500.00 USD por cliente e no máximo 1,000.00 USD por parceiro e mês',
  ])
})

test.each<{ case: string; name: string; when: Conditions; words: string }>([
  {
    case: 'has the tier in its name',
    name: 'Gold partners',
    when: { all: [tier('Gold')] },
    words: '30% for “Gold partners”',
  },
  {
    case: 'asks for one tier in another word',
    name: 'Golden days',
    when: { any: [tier('Gold')] },
    words: '30% for “Golden days” in the tier “Gold”',
  },
  {
    case: 'also applies without it',
    name: 'Some',
    when: { any: [tier('Gold'), { fact: 'coupon' }] },
    words: '30% for “Some”',
  },
])('a rule that $case', ({ name, when, words }) => {
  expect(wordsIn('en', [{ name, when }])).toBe(
    `${words}, 20% for everything else, at most 500.00 USD per customer and at most 1,000.00 USD per partner and month`,
  )
})
