/** Mails to partners are in the language in which they read the portal. */
import { expect, inject, test } from 'vitest'
import { LANGUAGES } from '../../lib/languages/languages.ts'
import { PARTNER_MAIL_KINDS } from '../../lib/mail/mails.ts'
import type { MailedReward } from '../../lib/mail/texts/reward-lines.tsx'
import { sampleDetails } from '../../lib/mail/texts/samples.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'
import { useDatabase } from '../support/merchant.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const REWARD = {
  reward: { kind: 'percent', basisPoints: 2_000 },
  leadReward: { kind: 'flat', amountCents: 500, currency: 'EUR' },
} as const
/** What a partner earns for sales: of all times, and for a time. */
const REWARDS: MailedReward[] = [
  { ...REWARD, rewardInterval: 'recurring', rewardDurationMonths: null },
  { ...REWARD, rewardInterval: 'recurring', rewardDurationMonths: 1 },
  { ...REWARD, rewardInterval: 'one-time', rewardDurationMonths: null },
]

const FACTS = {
  workspaceName: 'Pine Notes',
  program: { name: 'Pine & Co', siteUrl: 'https://pine.example' },
  managerEmail: 'boss@pine.example',
  origin: 'https://tributary.example',
}

/**
 * The lines of a mail's text that are words, and nothing that a merchant, Stripe or a person wrote.
 */
const sentencesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter(
      (line) => /\p{L}{3,}.* \p{L}/u.test(line) && !/https?:|We take partners|closed\.$/.test(line),
    )

const WRITTEN = [
  ...PARTNER_MAIL_KINDS.map((kind) => ({ kind, reward: REWARDS[0] })),
  ...REWARDS.map((reward) => ({ kind: 'welcome' as const, reward })),
]

test.each(WRITTEN)('$kind is in each language, with its subject', ({ kind, reward }) => {
  const details = { ...sampleDetails(kind, FACTS) }
  const mails = LANGUAGES.map((language) => outboxContent({ kind, details, language, reward }))
  const [english, ...others] = mails
  others.forEach((mail, index) => {
    expect(mail.html).toContain(`<html lang="${LANGUAGES[index + 1]}"`)
    expect(mail.subject).not.toBe(english?.subject)
    for (const sentence of sentencesOf(mail.text))
      expect(sentencesOf(english?.text ?? '')).not.toContain(sentence)
    // The same links, and the same number of paragraphs.
    const links = (text = '') => text.match(/https?:\S+/g)
    expect(links(mail.text)).toEqual(links(english?.text))
    expect(mail.text.split('\n\n')).toHaveLength(english?.text.split('\n\n').length ?? 0)
  })
})

test('amounts and times are written as in the language', () => {
  const money = { ...sampleDetails('payout_sent', FACTS), amount: '1,249.50 USD' }
  expect(outboxContent({ kind: 'payout_sent', details: money, language: 'de' }).subject).toBe(
    'Auszahlung von 1.249,50 USD von Pine & Co',
  )
  const details = {
    ...sampleDetails('payment_details', FACTS),
    paidBy: 'bank transfer (DE••• 3000)',
  }
  const { text } = outboxContent({ kind: 'payment_details', details, language: 'de' })
  expect(text).toContain(
    'Ab 25.11.2026, 10:00 UTC bezahlt Pine Notes Sie per Banküberweisung (DE••• 3000).',
  )
})

test('what a merchant wrote stays as it is, and mails to managers are English', () => {
  const details = { ...sampleDetails('welcome', FACTS) }
  const edited = { subject: 'Hi {partnerName}', intro: 'Hi {partnerName}, welcome!' }
  const { subject, text } = outboxContent({ kind: 'welcome', details, edited, language: 'fr' })
  expect(subject).toBe('Hi Maya Chen')
  expect(text).toMatch(/^Hi Maya Chen, welcome!\n\nVotre lien :/)
  const invitation = {
    workspaceName: 'Pine',
    role: 'member',
    invitedBy: 'a@x.example',
    url: 'https://x.example',
  }
  expect(outboxContent({ kind: 'invitation', details: invitation, language: 'fr' }).html).toContain(
    'lang="en"',
  )
})

test('the language in which a partner reads the portal is kept for its mails', async () => {
  const { partnerId, cookie } = await createPartner()
  const Cookie = await cookie()
  const language = async () =>
    (await database.query('select language from partners where id = $1', [partnerId]))[0]
  expect(await language()).toEqual({ language: null })
  const visit = (headers: Record<string, string>) =>
    fetch(`${inject('baseUrl')}/portal`, { headers: { Cookie, ...headers } })
  await visit({ 'Accept-Language': 'de-AT' })
  expect(await language()).toEqual({ language: 'de' })
  await visit({ 'Accept-Language': 'de', Cookie: `${Cookie}; tributary.language=pt` })
  expect(await language()).toEqual({ language: 'pt' })
})
