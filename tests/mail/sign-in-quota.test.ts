import { expect, test } from 'vitest'
import { UNUSED, type Usage } from '../../lib/mail/outbox/quota.ts'
import {
  decideSignIn,
  type SignInFacts,
  type SignInSettings,
} from '../../lib/mail/outbox/sign-in-quota.ts'

const NOW = new Date('2026-11-24T12:00:00Z')
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000)
/** The free plan, as its answers say. */
const free = (dailyUsed: number): Usage => ({
  ...UNUSED,
  dailyUsed,
  monthlyUsed: dailyUsed,
  reportedAt: NOW,
})

const FACTS: SignInFacts = {
  isKnown: false,
  isKnownBrowser: false,
  fromNetwork: 1,
  toMailbox: 1,
  toUnknown: 0,
  usage: UNUSED,
}

test.each<{
  case: string
  facts?: Partial<SignInFacts>
  settings?: SignInSettings
  known: string
  unknown: string
}>([
  { case: 'the first request', known: 'mail', unknown: 'mail' },
  { case: 'the tenth of a network', facts: { fromNetwork: 10 }, known: 'mail', unknown: 'mail' },
  {
    case: 'the eleventh of a network',
    facts: { fromNetwork: 11 },
    known: 'mail_unseen',
    unknown: 'withhold',
  },
  {
    case: 'the hundred and first of a network',
    facts: { fromNetwork: 101 },
    known: 'withhold',
    unknown: 'withhold',
  },
  {
    case: 'a thousand unknown addresses',
    facts: { toUnknown: 1_000 },
    known: 'mail_unseen',
    unknown: 'withhold',
  },
  {
    case: 'a quarter of the free plan to unknown addresses',
    facts: { toUnknown: 25, usage: free(30) },
    known: 'mail_unseen',
    unknown: 'withhold',
  },
  { case: 'one less', facts: { toUnknown: 24, usage: free(30) }, known: 'mail', unknown: 'mail' },
  {
    case: 'only the reserve is left',
    facts: { usage: free(70) },
    known: 'mail_unseen',
    unknown: 'withhold',
  },
  {
    case: 'the twenty-first to a mailbox',
    facts: { toMailbox: 21 },
    known: 'withhold',
    unknown: 'withhold',
  },
  {
    case: 'caps that are set',
    facts: { toUnknown: 3 },
    settings: { UNKNOWN_DAILY_SIGN_INS: '3' },
    known: 'mail_unseen',
    unknown: 'withhold',
  },
  {
    case: 'the provider refuses all',
    facts: { usage: { ...free(100), exhaustedUntil: hoursAgo(-1) } },
    known: 'exhausted',
    unknown: 'exhausted',
  },
  {
    case: 'it may take mails again',
    facts: { usage: { ...free(50), exhaustedUntil: NOW } },
    known: 'mail',
    unknown: 'mail',
  },
])(
  '$case: a known address is $known, an unknown one $unknown',
  ({ facts, settings = {}, known, unknown }) => {
    const decide = (own: Partial<SignInFacts>) =>
      decideSignIn({ ...FACTS, ...facts, ...own }, settings, NOW).kind
    expect({ known: decide({ isKnown: true }), unknown: decide({}) }).toEqual({ known, unknown })
    // The person’s own browser is mailed as long as there is a quota, whatever others have asked
    // for.
    const own = decide({ isKnown: true, isKnownBrowser: true })
    expect(own).toBe(known === 'exhausted' ? 'exhausted' : 'mail')
  },
)
