import { describe, expect, test } from 'vitest'
import type { Brand } from '../../lib/brand/brand.ts'
import { type OutboxKind, PARTNER_MAIL_KINDS } from '../../lib/mail/mails.ts'
import type {
  BankRefusedDetails,
  ConnectDetails,
  InvitationDetails,
  MoneyDetails,
  MovedDetails,
  PaymentDetailsDetails,
  PayoutAccountDetails,
  PayoutFailedDetails,
  PayoutReturnedDetails,
  PayoutRunDetails,
  PayoutSentDetails,
  WelcomeDetails,
} from '../../lib/mail/outbox/details.ts'
import { signInDraft } from '../../lib/mail/texts/account-texts.tsx'
import { render } from '../../lib/mail/texts/compose.tsx'
import { sampleDetails } from '../../lib/mail/texts/samples.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'

/** Mails of a kind, from what the outbox keeps of them. */
const contentOf =
  <Details extends Record<string, unknown>>(kind: OutboxKind) =>
  (details: Details) =>
    outboxContent({ kind, details })

const invitationContent = contentOf<InvitationDetails>('invitation')
const movedContent = contentOf<MovedDetails>('moved')
const payoutAccountContent = contentOf<PayoutAccountDetails>('payout_account')
const welcomeContent = contentOf<WelcomeDetails>('welcome')
const bankRefusedContent = contentOf<BankRefusedDetails>('bank_refused')
const connectAccountContent = contentOf<ConnectDetails>('connect_account')
const connectReminderContent = contentOf<ConnectDetails>('connect_reminder')
const paymentDetailsContent = contentOf<PaymentDetailsDetails>('payment_details')
const payoutFailedContent = contentOf<PayoutFailedDetails>('payout_failed')
const payoutReturnedContent = contentOf<PayoutReturnedDetails>('payout_returned')
const payoutSentContent = contentOf<PayoutSentDetails>('payout_sent')
const runContent = (kind: OutboxKind, details: PayoutRunDetails) => contentOf(kind)(details)
const signInContent = (mail: Parameters<typeof signInDraft>[0]) => render(signInDraft(mail))

const MOVED: WelcomeDetails = {
  partnerName: 'Maya',
  programName: 'Friends of Pine Notes',
  link: 'https://pine.example/?via=maya',
  portalUrl: 'https://track.example/portal',
  workspaceName: 'Pine Notes',
  sentBy: 'ann@pine.example',
}
const INVITATION: InvitationDetails = {
  workspaceName: 'Pine Notes',
  role: 'member',
  invitedBy: 'ann@pine.example',
  url: 'https://track.example/sign-in?next=%2Fapp%2Fpine-notes',
}

const MONEY: MoneyDetails = {
  partnerName: 'Maya',
  programName: 'Friends of Pine Notes',
  amount: '49.00 USD',
  portalUrl: 'https://track.example/portal',
}
const CONNECT: ConnectDetails = { ...MONEY, problem: 'not_connected' }
const BANK = {
  partnerName: 'Maya',
  workspaceName: 'Pine Notes',
  amount: '49.00 USD',
  portalUrl: 'https://track.example/portal',
}
const REASON = 'The Stripe account was closed.'

describe('"we’ve moved" (spec 4.3, rule 4)', () => {
  test('has the partner’s link and the portal’s address, in HTML and in text', () => {
    const { subject, html, text } = movedContent(MOVED)
    expect(subject).toBe('Pine Notes: we’ve moved the partner program Friends of Pine Notes')
    for (const address of [MOVED.link, MOVED.portalUrl]) expect(text).toContain(`\n${address}\n`)
    // The merchant chose the address of its site: it is text.
    expect([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      MOVED.portalUrl,
    ])
    expect(html).toContain(`>${MOVED.link}</span>`)
    expect(text).toContain('\nSent by Pine Notes (ann@pine.example).\n')
    expect(html).toContain('Hello <bdi>Maya</bdi>,')
    expect(text).toMatch(/^Hello Maya,\n/)
  })

  test.each([
    {
      case: 'still works',
      works: true,
      says: 'It still works: you can leave it where you have shared it.',
      link: 'Your link from now on',
    },
    {
      case: 'no longer counts',
      works: false,
      says: 'It no longer counts: please replace it where you have shared it.',
      link: 'Your new link',
    },
  ])(
    'shows the earlier platform’s link as it is, and the new one, and whether the first $case',
    ({ works, says, link }) => {
      const url = 'https://pine.example/?fpr=Maya&utm_source=x#top'
      const { html, text } = movedContent({ ...MOVED, formerLink: { url, works } })
      expect(text).toContain(`\nYour link so far:\n${url}\n\n${says}\n\n${link}:\n${MOVED.link}\n`)
      expect(html).toContain(`>${url.replace('&', '&amp;')}</span>`)
      expect(text).not.toContain('ends in the same way')
      expect(
        outboxContent({ kind: 'moved', details: { ...MOVED, formerLink: { url, works } } }).text,
      ).toBe(text)
    },
  )

  test('names the program where the name of the workspace is not known', () => {
    expect(movedContent({ ...MOVED, workspaceName: null }).subject).toBe(
      'Friends of Pine Notes: we’ve moved the partner program Friends of Pine Notes',
    )
  })

  test.each([null, '', '  '])('greets a partner whose name is %j without a name', (partnerName) => {
    expect(movedContent({ ...MOVED, partnerName }).text).toMatch(/^Hello,\n/)
  })
})

test('an invitation names the inviter, the workspace, the role and where to sign in', () => {
  const { subject, html, text } = invitationContent(INVITATION)
  expect(subject).toBe('You are invited to Pine Notes')
  expect(text).toContain('ann@pine.example invited you to Pine Notes on Tributary. As a member')
  expect(text).toContain(INVITATION.url)
  expect(html).toContain(`href="${INVITATION.url}"`)
  expect(invitationContent({ ...INVITATION, role: 'manager' }).text).toContain('As a manager')
})

test('a sign-in in a new browser is reported with the browser, the time, and what to do', () => {
  const url = 'https://track.example/auth/sessions'
  const details = { browser: 'Firefox on Windows', signedInAt: '25 Nov 2026, 10:00 UTC', url }
  const { subject, html, text } = outboxContent({ kind: 'new_browser', details })
  expect(subject).toBe('New sign-in to your Tributary account')
  expect(text).toContain('in a new browser: Firefox on Windows, 25 Nov 2026, 10:00 UTC.')
  expect(text).toContain('choose “Sign out everywhere”')
  expect(html).toContain(`href="${url}"`)
})

test.each([
  {
    case: 'that was added by mail alone, with the time from which it counts',
    details: {
      change: 'added',
      browser: 'Firefox on Windows',
      countsFrom: '28 Nov 2026, 10:00 UTC',
    },
    says: [
      'The passkey “Work” was added to your account, in Firefox on Windows.',
      'It confirms that it’s you from 28 Nov 2026, 10:00 UTC on.',
    ],
  },
  {
    case: 'that was removed',
    details: { change: 'removed', browser: 'Firefox on Windows' },
    says: ['The passkey “Work” was removed from your account, in Firefox on Windows.'],
  },
  {
    case: 'that a manager removed',
    details: { change: 'removed', by: 'ann@example.com' },
    says: [
      'ann@example.com removed the passkey “Work” from your account before it could confirm anything.',
    ],
  },
])('a mail about a passkey $case', ({ details, says }) => {
  const url = 'https://track.example/auth/passkeys'
  const { html, text } = outboxContent({
    kind: 'passkey',
    details: { ...details, name: '“Work”', url },
  })
  for (const sentence of says) expect(text).toContain(sentence)
  expect(text).toContain('choose “Sign out everywhere”')
  expect(html).toContain(`href="${url}"`)
})

describe('a mail about money', () => {
  test.each([
    { method: 'stripe', says: 'The funds are in your Stripe account' },
    { method: 'manual', says: 'by bank transfer or a similar method, and may take a few days' },
  ] as const)(
    'reports a payout by the method "$method", and where the money is',
    ({ method, says }) => {
      const { subject, html, text } = payoutSentContent({ ...MONEY, method })
      expect(subject).toBe('Payout of 49.00 USD from Friends of Pine Notes')
      expect(text).toMatch(/^Hello Maya,\n\nFriends of Pine Notes has paid you 49\.00 USD\.\n/)
      expect(text).toContain(says)
      expect(html).toContain(`<a href="${MONEY.portalUrl}"`)
    },
  )

  test('gives the reason why a payout failed, and that its commissions remain payable', () => {
    const { subject, html, text } = payoutFailedContent({ ...MONEY, reason: REASON })
    expect(subject).toBe('Payout of 49.00 USD from Friends of Pine Notes failed')
    expect(text).toContain(`\nReason: ${REASON}\n`)
    expect(text).toContain('The amount is still owed to you')
    expect(html).toContain(`<a href="${MONEY.portalUrl}"`)
  })

  test('says why a payout was returned, that it is owed, and what to check', () => {
    const { subject, html, text } = payoutReturnedContent({
      ...MONEY,
      reason: 'The account is closed.',
    })
    expect(subject).toBe('Payout of 49.00 USD from Friends of Pine Notes was returned')
    expect(text).toContain('\nReason: The account is closed.\n')
    expect(text).toContain('The amount is still owed to you')
    expect(text).toContain('check that your name and your payment details are correct')
    expect(html).toContain('>Check payment details</a>')
  })

  test('reports to a partner without an account what they have earned, and where to connect an account', () => {
    const { subject, html, text } = connectAccountContent(CONNECT)
    expect(subject).toBe('You have earned 49.00 USD from Friends of Pine Notes')
    expect(text).toContain('You have earned 49.00 USD as a partner of Friends of Pine Notes.')
    expect(text).toContain(`\nConnect account:\n${MONEY.portalUrl}\n`)
    expect(html).toContain('>Connect account</a>')
  })
})

describe('a mail to managers', () => {
  const RUN = {
    workspaceName: 'Pine Notes',
    programName: 'Friends of Pine Notes',
    day: '2026-12-01',
    messages: [REASON],
    url: 'https://track.example/app/pine-notes/payouts/runs/1',
  }
  const paid = { code: 'paid', payouts: 1_200, amount: '12,300.00 USD and 1,200 JPY' }
  const failed = { code: 'failed', payouts: 1, amount: '9.00 USD' }
  const short = { code: 'insufficient_funds', payouts: 3, amount: '70.00 EUR' }

  test('reports a scheduled run: what was sent, what failed, what is missing in the balance', () => {
    const { subject, html, text } = runContent('payout_report', {
      ...RUN,
      sums: [paid, failed, short],
    })
    expect(subject).toBe('Payouts of Friends of Pine Notes: 12,300.00 USD and 1,200 JPY paid')
    expect(text).toContain(
      'Friends of Pine Notes in Pine Notes: The payouts scheduled for 2026-12-01 have run.',
    )
    expect(text).toContain('Sent: 1,200 payouts, 12,300.00 USD and 1,200 JPY.')
    expect(text).toContain('Failed: 1 payout, 9.00 USD.')
    expect(text).toContain('Not covered by your Stripe balance: 3 payouts, 70.00 EUR. Top up')
    expect(text).toContain(`Reason: ${REASON}`)
    expect(html).toContain(`href="${RUN.url}"`)
  })

  test('says in its subject if nothing was paid', () => {
    expect(runContent('payout_report', { ...RUN, sums: [failed] }).subject).toBe(
      'Payouts of Friends of Pine Notes: nothing could be paid',
    )
  })

  test('previews a run, and reports problems of one that may be of all programs', () => {
    const payable = { code: 'payable', payouts: 2, amount: '15.00 USD' }
    const preview = runContent('payout_preview', { ...RUN, sums: [payable, short] })
    expect(preview.subject).toBe('Payouts of Friends of Pine Notes: 15.00 USD on 2026-12-01')
    expect(preview.text).toContain('To be paid: 2 payouts, 15.00 USD.')
    const waiting = { code: 'processing', payouts: 1, amount: '9.00 USD' }
    const problem = runContent('payout_problem', {
      ...RUN,
      programName: null,
      day: null,
      sums: [waiting],
    })
    expect(problem.subject).toBe('Payouts of Pine Notes: some are waiting')
    expect(problem.text).toContain('Pine Notes: Some payouts of a run could not be sent.')
    expect(problem.text).toContain('Waiting: 1 payout, 9.00 USD. They are retried automatically.')
  })

  test('gives a code that it does not know a text', () => {
    const { text } = runContent('payout_report', { ...RUN, sums: [{ ...short, code: 'another' }] })
    expect(text).toContain('Not paid: 3 payouts, 70.00 EUR.')
  })
})

test('a sign-in mail has the link, its lifetime, and what to do if nobody requested it', () => {
  const { html, text } = signInContent({
    url: 'https://track.example/auth/confirm?token=a&next=b',
    expiresInMinutes: 10,
  })
  expect(html).toContain('href="https://track.example/auth/confirm?token=a&amp;next=b"')
  expect(text).toContain('\nhttps://track.example/auth/confirm?token=a&next=b\n')
  expect(text).toContain('within 10 minutes')
  expect(text).toContain('ignore this email')
})

const HOSTILE = [
  { case: 'markup', name: '<script>alert(1)</script>', shown: '<script>alert(1)</script>' },
  {
    case: 'the end of an attribute',
    name: '"><img src=x onerror=alert(1)>',
    shown: '"><img src=x onerror=alert(1)>',
  },
  {
    case: 'a header injection',
    name: 'Maya\r\nBcc: all@victims.example',
    shown: 'Maya Bcc: all@victims.example',
  },
  {
    case: 'a paragraph break',
    name: 'Maya,\n\nyour account is locked',
    shown: 'Maya, your account is locked',
  },
  { case: 'line breaks of Unicode', name: 'Maya\u2028\u2029\u0085Bcc', shown: 'Maya Bcc' },
  { case: 'a NUL and an escape', name: 'Ma\0ya\u001b[31m', shown: 'Ma ya [31m' },
  { case: 'a bidirectional override', name: '\u202Emoc.live\u202C', shown: 'moc.live' },
  { case: 'a placeholder', name: '{{link}} %s', shown: '{{link}} %s' },
  { case: 'a name from right to left', name: 'مايا', shown: 'مايا' },
  { case: 'an emoji of several parts', name: 'Maya 👩🏽‍💻', shown: 'Maya 👩🏽‍💻' },
]
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

describe.each(HOSTILE)('a name with $case', ({ name, shown }) => {
  test.each([
    { mail: 'moved', content: movedContent({ ...MOVED, partnerName: name, programName: name }) },
    {
      mail: 'welcome',
      content: welcomeContent({ ...MOVED, partnerName: name, programName: name }),
    },
    {
      mail: 'invitation',
      content: invitationContent({ ...INVITATION, workspaceName: name, invitedBy: name }),
    },
    {
      mail: 'payout_sent',
      content: payoutSentContent({
        ...MONEY,
        partnerName: name,
        programName: name,
        method: 'stripe',
      }),
    },
    {
      mail: 'payout_failed',
      content: payoutFailedContent({ ...MONEY, programName: name, reason: name }),
    },
    {
      mail: 'payout_returned',
      content: payoutReturnedContent({ ...MONEY, programName: name, reason: name }),
    },
    {
      mail: 'payout_problem',
      content: runContent('payout_problem', {
        workspaceName: name,
        programName: name,
        day: null,
        sums: [],
        messages: [name],
        url: 'https://track.example',
      }),
    },
    { mail: 'connect_account', content: connectAccountContent({ ...CONNECT, programName: name }) },
    {
      mail: 'connect_reminder',
      content: connectReminderContent({ ...CONNECT, programName: name }),
    },
  ])('appears as one line in the mail "$mail"', ({ content }) => {
    expect(content.subject).toContain(shown)
    expect(content.subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
    expect(content.text).toContain(shown)
    expect(content.html).toContain(`<bdi>${escaped(shown)}</bdi>`)
  })
})

test('a URL that is not http or https is not a link', () => {
  const { html } = movedContent({
    ...MOVED,
    link: 'javascript:alert(1)',
    portalUrl: 'https://a.example/"onclick="x',
  })
  expect(html).not.toContain('href="javascript:')
  expect(html).toContain('javascript:alert(1)')
  expect(html).toContain('href="https://a.example/&quot;onclick=&quot;x"')
})

test('a name of 255 characters is cut between characters, so that the subject is readable', () => {
  const { subject, text } = movedContent({ ...MOVED, programName: '👩'.repeat(255) })
  expect([...subject]).toHaveLength(150)
  expect(subject).toMatch(/👩…$/u)
  expect(text).toContain('👩'.repeat(255))
})

test('no mail loads resources or tracks that it was opened', () => {
  for (const { html } of [
    movedContent(MOVED),
    welcomeContent(MOVED),
    invitationContent(INVITATION),
    payoutSentContent({ ...MONEY, method: 'stripe' }),
    payoutFailedContent({ ...MONEY, reason: REASON }),
    payoutReturnedContent({ ...MONEY, reason: REASON }),
    connectAccountContent(CONNECT),
    connectReminderContent(CONNECT),
    bankRefusedContent({ ...BANK, reason: REASON }),
    signInContent({ url: 'https://track.example/', expiresInMinutes: 10 }),
  ]) {
    expect(html).toMatch(/^<!doctype html><html/)
    expect(html).not.toMatch(/<(img|link|script|iframe|video|audio|object)|src=|url\(|@import/i)
  }
})

describe('a mail in the outbox', () => {
  const ADDRESS = {
    partnerName: 'Maya',
    from: 'old@x.example',
    to: 'new@x.example',
    url: 'https://track.example/portal',
  }

  test.each([
    { kind: 'moved', details: MOVED, subject: /^Pine Notes: we’ve moved the partner program/ },
    { kind: 'welcome', details: MOVED, subject: /^You are a partner of / },
    { kind: 'invitation', details: INVITATION, subject: 'You are invited to Pine Notes' },
    {
      kind: 'payout_sent',
      details: { ...MONEY, method: 'manual' },
      subject: /^Payout of 49.00 USD/,
    },
    { kind: 'payout_failed', details: { ...MONEY, reason: REASON }, subject: /failed$/ },
    { kind: 'payout_returned', details: { ...MONEY, reason: REASON }, subject: /was returned$/ },
    { kind: 'connect_account', details: { ...MONEY }, subject: /^You have earned 49.00 USD/ },
    { kind: 'bank_refused', details: { ...BANK, reason: REASON }, subject: 'Your bank refused' },
    { kind: 'address_link', details: ADDRESS, subject: 'Confirm your new email address' },
    { kind: 'address_changed', details: ADDRESS, subject: 'Your email address was changed' },
  ] as const)('is rendered by the template of its kind: $kind', ({ kind, details, subject }) => {
    expect(outboxContent({ kind, details }).subject).toMatch(subject)
  })

  test('gives the reason of a bank that Stripe has reported', () => {
    expect(bankRefusedContent({ ...BANK, reason: REASON }).text).toContain(`Reason: ${REASON}`)
    expect(outboxContent({ kind: 'bank_refused', details: BANK }).text).not.toContain('Reason')
  })

  test('says what a change of an account is, until when it is held, and how to confirm it', () => {
    expect(payoutAccountContent({ ...BANK, change: 'connected' }).subject).toContain(' connected')
    expect(payoutAccountContent({ ...BANK, change: 'disconnected' }).subject).toContain(
      'disconnected',
    )
    const confirmUrl = 'https://track.example/portal/connect/confirm?token=x'
    const heldUntil = '25 Nov 2026, 10:00 UTC'
    const changed = { ...BANK, change: 'changed' as const, heldUntil }
    expect(payoutAccountContent({ ...changed, confirmUrl }).text).toMatch(
      /from 25 Nov 2026, 10:00 UTC on.*token=x/s,
    )
    expect(payoutAccountContent(changed).text).not.toContain('/portal/connect/confirm')
  })

  test('names what managers are mailed about: imports, earnings by hand, settings', () => {
    const balances = {
      workspaceName: 'Pine Notes',
      programName: 'Friends',
      importedBy: 'ann@pine.example',
      balances: 412,
      amountCents: 1_234_500,
      url: 'https://track.example/app/pine-notes/audit',
    }
    const imported = outboxContent({ kind: 'opening_balances', details: balances })
    expect(imported.subject).toBe('Opening balances imported: 12,345.00 USD')
    expect(imported.text).toContain(
      'ann@pine.example imported 412 opening balances of 12,345.00 USD in total into the program Friends of Pine Notes.',
    )
    const byHand = {
      workspaceName: 'Pine Notes',
      programName: 'Friends',
      made: [
        {
          what: 'adjustment',
          by: 'ann@pine.example',
          partner: 'maya',
          amountCents: 5_000_000,
          currency: 'USD',
        },
        {
          what: 'credit',
          by: 'ann@pine.example',
          partner: 'leo',
          amountCents: 980,
          currency: 'USD',
        },
        {
          what: 'release',
          by: 'API key "Shop"',
          partner: 'leo',
          amountCents: 1_000,
          currency: 'JPY',
        },
        {
          what: 'bonuses',
          by: 'ann@pine.example',
          partner: null,
          amountCents: 7_500,
          currency: 'USD',
        },
        {
          what: 'cut_over',
          by: 'ann@pine.example',
          partner: null,
          amountCents: 20_000,
          currency: 'EUR',
        },
      ],
      more: 2,
    }
    const made = outboxContent({ kind: 'manual_earnings', details: byHand })
    expect(made.subject).toBe('Payable by hand in Friends: 50,000.00 USD, …')
    for (const line of [
      'ann@pine.example adjusted the earnings of maya by 50,000.00 USD.',
      'ann@pine.example credited 9.80 USD to leo by hand.',
      'API key "Shop" released 1,000 JPY of leo that was held.',
      'ann@pine.example gave bonuses of 75.00 USD in all to partners.',
      'ann@pine.example cut the program over, with 200.00 EUR owed to partners.',
      '2 more are in the audit log.',
    ])
      expect(made.text).toContain(line)
    const settings = {
      workspaceName: 'Pine Notes',
      programName: 'Friends',
      notice: 'payout_settings',
      person: 'ann@pine.example',
      day: '2026-12-07',
      url: null,
    }
    const changedSettings = outboxContent({ kind: 'workspace_notice', details: settings })
    expect(changedSettings.text).toContain('The schedule pays on 2026-12-07 for the first time')
  })

  test('asks a partner whose account is restricted to complete it', () => {
    const connect = connectReminderContent(CONNECT).text
    const restricted = connectReminderContent({ ...CONNECT, problem: 'account_restricted' }).text
    expect(connect).toContain('\nConnect account:\n')
    expect(restricted).not.toContain('\nConnect account:\n')
  })

  test.each([
    { kind: 'welcome' as const, lacks: 'link', details: { ...MOVED, link: undefined } },
    { kind: 'moved' as const, lacks: 'link', details: { ...MOVED, link: undefined } },
    { kind: 'moved' as const, lacks: 'portalUrl', details: { ...MOVED, portalUrl: '' } },
    { kind: 'moved' as const, lacks: 'programName', details: { ...MOVED, programName: 7 } },
    { kind: 'invitation' as const, lacks: 'url', details: { ...INVITATION, url: null } },
    {
      kind: 'payout_sent' as const,
      lacks: 'amount',
      details: { ...MONEY, amount: '', method: 'stripe' },
    },
    { kind: 'payout_failed' as const, lacks: 'reason', details: { ...MONEY } },
    { kind: 'payout_report' as const, lacks: 'url', details: { workspaceName: 'Pine Notes' } },
    { kind: 'payout_returned' as const, lacks: 'reason', details: { ...MONEY } },
    {
      kind: 'connect_account' as const,
      lacks: 'portalUrl',
      details: { ...MONEY, portalUrl: null },
    },
  ])('is not rendered if a $kind lacks $lacks', ({ kind, lacks, details }) => {
    expect(() => outboxContent({ kind, details })).toThrow(`The mail’s details lack ${lacks}.`)
  })
})

test('a change of payment details says from when on it counts, and how to cancel it', () => {
  const change = {
    partnerName: 'Maya',
    workspaceName: 'Pine Notes',
    paidBy: 'bank transfer (DE••• 3000)',
    effectiveAt: '25 Nov 2026, 10:00 UTC',
    portalUrl: 'https://track.example/portal',
  }
  const { subject, text } = paymentDetailsContent(change)
  expect(subject).toBe('Your payment details at Pine Notes will change')
  expect(text).toContain(
    'From 25 Nov 2026, 10:00 UTC on, Pine Notes pays you by bank transfer (DE••• 3000).',
  )
  expect(text).toContain('If you did not make this change, cancel it in the portal.')
  const canceled = outboxContent({ kind: 'payment_details', details: { ...change, paidBy: null } })
  expect(canceled.subject).toBe('Your payment details at Pine Notes stay as they are')
})

describe('a mail of a program with a brand', () => {
  const BRAND = {
    logoUrl: 'https://cdn.pine-notes.com/logo.png?a=1&b=2',
    accentColor: '#ffd400',
    supportEmail: 'help@pine-notes.com',
  }
  const NONE = { logoUrl: null, accentColor: null, supportEmail: null }
  const details = { ...CONNECT }
  const branded = (brand: Brand) => outboxContent({ kind: 'connect_account', details, brand })

  test('has the logo and the name at its head, the color on its button, and the support address at its foot', () => {
    const { html, text } = branded(BRAND)
    expect(html).toContain(
      '<p style="margin:0 0 1.5em;font-weight:600"><img src="https://cdn.pine-notes.com/logo.png?a=1&amp;b=2" alt="Friends of Pine Notes" height="48"',
    )
    expect(html).toContain(
      'background:#ffd400;color:#000000;text-decoration:none">Connect account</a>',
    )
    expect(html).toContain('<p>Questions? Write to <bdi>help@pine-notes.com</bdi>.</p></body>')
    expect(text).toBe(
      `${connectAccountContent(CONNECT).text}\nQuestions? Write to help@pine-notes.com.\n`,
    )
    expect(html.match(/src=|url\(|<link|<script|@import/gi)).toEqual(['src='])
  })

  test('is on a message, which ends with the link to unsubscribe', () => {
    const message = {
      kind: 'message' as const,
      details: { ...MOVED, programName: '<b>Pine</b>' },
      edited: {
        subject: 'For {partnerName}',
        intro: 'Hello {partnerName},\n\n<b>News</b> of {workspaceName}.',
      },
    }
    const unsubscribeUrl = 'https://track.example/unsubscribe/x'
    const { subject, html, text } = outboxContent({ ...message, brand: BRAND, unsubscribeUrl })
    expect(subject).toBe('For Maya')
    expect(text).toBe(
      'Hello Maya,\n\n<b>News</b> of Pine Notes.\n\nSent by Pine Notes (ann@pine.example).\n\n' +
        `Questions? Write to help@pine-notes.com.\n\nUnsubscribe from such emails of Pine Notes:\n${unsubscribeUrl}\n`,
    )
    expect(html).toContain('<p>&lt;b&gt;News&lt;/b&gt; of <bdi>Pine Notes</bdi>.</p>')
    expect(html).toContain('alt="&lt;b&gt;Pine&lt;/b&gt;"')
    expect(html).toContain(`<a href="${unsubscribeUrl}"`)
    expect(() => outboxContent({ ...message, edited: undefined })).toThrow(
      'The text of this mail was removed.',
    )
  })

  test('has the name at its head without a logo, and nothing of what is missing', () => {
    const { html, text } = branded({ ...NONE, accentColor: '#0a0a5a' })
    expect(html).toContain(
      '<p style="margin:0 0 1.5em;font-weight:600"><bdi>Friends of Pine Notes</bdi></p>',
    )
    expect(html).toContain('background:#0a0a5a;color:#ffffff')
    expect(html).not.toContain('<img')
    expect(text).not.toContain('Questions?')
  })

  test('is as ever while the brand is empty', () => {
    expect(branded(NONE)).toEqual(connectAccountContent(CONNECT))
  })

  test.each(PARTNER_MAIL_KINDS)('shows it or not, by its kind: %s', (kind) => {
    const program = { id: 'x', name: 'Friends', siteUrl: 'https://pine.example' }
    const facts = {
      workspaceName: 'Pine',
      program,
      managerEmail: 'ann@pine.example',
      origin: 'https://t.example',
    }
    const { html } = outboxContent({ kind, details: sampleDetails(kind, facts), brand: BRAND })
    const isAccount = [
      'bank_refused',
      'payment_details',
      'payout_account',
      'address_link',
      'address_changed',
    ]
    expect(html.includes('<img')).toBe(!isAccount.includes(kind))
  })

  test.each(HOSTILE)(
    'keeps a name with $case in its attribute and in one line',
    ({ name, shown }) => {
      const { html } = outboxContent({
        kind: 'connect_account',
        details: { ...details, programName: name },
        brand: BRAND,
      })
      expect(html).toContain(` alt="${escaped(shown)}" height="48"`)
    },
  )

  test('keeps an address with line breaks, which no form takes, in one line', () => {
    const { html, text } = branded({ ...BRAND, supportEmail: 'a@b.com\r\nBcc: <b>all</b>' })
    expect(text).toContain('Write to a@b.com Bcc: <b>all</b>.')
    expect(html).toContain('<bdi>a@b.com Bcc: &lt;b&gt;all&lt;/b&gt;</bdi>')
  })
})

test('an invitation names the person who sends it, or else the workspace, also in edited words', () => {
  const details = {
    programName: 'Friends',
    workspaceName: 'Pine Notes',
    url: 'https://track.example/join',
  }
  const text = (invitedBy: string | null, intro?: string) =>
    outboxContent({
      kind: 'partner_invitation',
      details: { ...details, invitedBy },
      edited: intro ? { subject: null, intro } : undefined,
    }).text
  const byPerson = text('ann@pine.example')
  expect(byPerson).toContain('ann@pine.example of Pine Notes invites you')
  expect(byPerson).toContain('Sent by Pine Notes (ann@pine.example).')
  const byBackend = text(null)
  expect(byBackend).toContain('Hello,\n\nPine Notes invites you to be a partner of Friends.')
  expect(byBackend).not.toContain('Sent by')
  expect(text(null, '{invitedBy} says hello.')).toContain('Pine Notes says hello.')
})
