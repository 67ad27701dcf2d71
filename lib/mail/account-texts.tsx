/** The texts of emails about people: signing in, invitations, addresses, and connected accounts. */
import { formatMoney } from '../money.ts'
import { counted } from '../plural.ts'
import { draft, editableDraft, greeting, HOW_TO_SIGN_IN } from './compose.tsx'
import type {
  AddressDetails,
  InvitationDetails,
  MessageDetails,
  MovedDetails,
  NewBrowserDetails,
  OpeningBalancesDetails,
  PartnerInvitationDetails,
  PayoutAccountDetails,
  RejectionDetails,
  WebhookDisabledDetails,
  WelcomeDetails,
} from './details.ts'
import type { SignInMail } from './mailer.rpc.ts'
import type { Draft, Paragraph } from './paragraphs.ts'
import type { EditedText } from './texts.ts'

/** A merchant whose workspace has no name in a mail has that of the program. */
const merchantNamed = <Details extends { workspaceName: string | null; programName: string }>(
  details: Details,
) => ({
  ...details,
  workspaceName: details.workspaceName ?? details.programName,
})

/** Who sent a mail that a merchant caused, which nobody can leave out. */
const sentBy = (workspaceName: string | null, sender: string | null): Paragraph[] =>
  workspaceName && sender ? [['Sent by ', { name: workspaceName }, ' (', { name: sender }, ').']] : []

/** What becomes of the links that a partner has shared. The earlier platform’s is as it was imported, if it is known. */
const linksOf = ({ link, formerLink }: MovedDetails): Paragraph[] => {
  if (!formerLink)
    return [
      ['Your link:', { text: link }],
      'If the link you have shared ends in the same way, keep it: it still works. Otherwise, please share this one from now on.',
    ]
  return formerLink.works
    ? [
        ['Your link so far:', { text: formerLink.url }],
        'It still works: you can leave it where you have shared it.',
        ['Your link from now on:', { text: link }],
      ]
    : [
        ['Your link so far:', { text: formerLink.url }],
        'It no longer counts: please replace it where you have shared it.',
        ['Your new link:', { text: link }],
      ]
}

/**
 * "We’ve moved": informs an imported partner that the program has moved (spec section 4.3). What the merchant wrote is text,
 * also the links: only the portal is linked.
 */
export const movedDraft = (details: MovedDetails, edited?: EditedText): Draft =>
  editableDraft('moved', merchantNamed(details), edited, [
    ...linksOf(details),
    ['Find your link and your coupon codes in the partner portal:', { link: details.portalUrl }],
    HOW_TO_SIGN_IN,
    'Thank you for being a partner.',
    ...sentBy(details.workspaceName, details.sentBy),
  ])

/** Welcomes a partner that a manager has added, or whose application was approved. */
export const welcomeDraft = (details: WelcomeDetails, edited?: EditedText): Draft =>
  editableDraft('welcome', details, edited, [
    ['Your link:', { text: details.link }],
    [
      'See what your link has brought and what you have earned in the partner portal:',
      { link: details.portalUrl },
    ],
    HOW_TO_SIGN_IN,
    ...sentBy(details.workspaceName, details.sentBy),
    'If you did not expect this email, ignore it.',
  ])

/** What a manager wrote to many partners. It is text: nothing in it becomes a link. */
export const messageDraft = (details: MessageDetails, written: EditedText): Draft =>
  editableDraft('message', details, written, sentBy(details.workspaceName, details.sentBy))

/** Where no person invites. */
const INVITED_BY_NOBODY =
  'Hello,\n\n{workspaceName} invites you to be a partner of {programName}. You get a link of your own, and earn with what it brings.'

/** Invites somebody to be a partner. What a backend sends is in the name of its workspace. */
export const partnerInvitationDraft = (details: PartnerInvitationDetails, edited?: EditedText): Draft => {
  const { invitedBy, workspaceName, url } = details
  const words = {
    subject: edited?.subject ?? null,
    intro: edited?.intro ?? (invitedBy ? null : INVITED_BY_NOBODY),
  }
  return editableDraft('partner_invitation', { ...details, invitedBy: invitedBy ?? workspaceName }, words, [
    { button: 'See the terms and accept', link: url },
    'You sign in with the address that received this email. You need no password.',
    ...sentBy(workspaceName, invitedBy),
    'If you do not want to be a partner, ignore this email.',
  ])
}

/** Says that an application was rejected. What the merchant wrote is text. */
export const rejectionDraft = (details: RejectionDetails, edited?: EditedText): Draft =>
  editableDraft(
    'application_rejected',
    details,
    edited,
    details.reason ? [['The reason:', { text: details.reason }]] : [],
  )

/** What each role allows. */
const ROLES = {
  manager: 'As a manager, you have full access.',
  member: 'As a member, you can view its partners, events and commissions.',
} as const

/** Invites a member to a workspace. */
export const invitationDraft = ({ workspaceName, role, invitedBy, url }: InvitationDetails): Draft =>
  draft(`You are invited to ${workspaceName}`, 'Sign in with this address to accept. You need no password.', [
    'Hello,',
    [{ name: invitedBy }, ' invited you to ', { name: workspaceName }, ` on Tributary. ${ROLES[role]}`],
    { button: 'Sign in', link: url },
    'Sign in with the address that received this email. You need no password.',
    'If you did not expect this invitation, ignore this email.',
  ])

/** Reports to a manager that a webhook endpoint was disabled. */
export const webhookDisabledDraft = ({ workspaceName, host, url }: WebhookDisabledDetails): Draft =>
  draft(`Webhooks to ${host} are disabled`, 'Correct the endpoint, enable it, and resend the events.', [
    'Hello,',
    [
      'Webhooks of ',
      { name: workspaceName },
      ' to ',
      { name: host },
      ' have failed for three days. Nothing more is sent there.',
    ],
    'Correct the endpoint, enable it, then resend the events since it failed. Events after it was disabled are not kept for it.',
    { button: 'View endpoint', link: url },
  ])

/** The link that proves a partner's new address. */
export const addressLinkDraft = ({ partnerName, from, to, url }: AddressDetails): Draft =>
  draft('Confirm your new email address', 'Nothing changes until you open the link.', [
    greeting(partnerName),
    ['The partner ', { name: from }, ' wants to use the address ', { name: to }, ' from now on.'],
    'To confirm it, open this link in the browser in which you asked for it:',
    { button: 'Confirm address', link: url },
    'The link works once, within a day, and only while you are signed in with the old address.',
    'If you do not know about this, ignore this email. Nothing changes without the link.',
  ])

/** Notifies the old address of a partner that it was replaced. */
export const addressChangedDraft = (details: AddressDetails): Draft => {
  const { partnerName, from, to, url, workspaceName } = details
  if (workspaceName) return addressCorrectedDraft({ partnerName, from, workspaceName })
  return draft(
    'Your email address was changed',
    'If you did not do this, contact the merchants of your programs.',
    [
      greeting(partnerName),
      ['The address of your partner accounts was changed from ', { name: from }, ' to ', { name: to }, '.'],
      'Your earnings, links and connected accounts did not change. Sign in with the new address.',
      'If you did not do this, contact the merchants of your programs immediately.',
      { button: 'Open portal', link: url },
    ],
  )
}

/** The same when a manager did it. The new address may be another person's, so it is not named. */
const addressCorrectedDraft = ({
  partnerName,
  from,
  workspaceName,
}: Pick<AddressDetails, 'partnerName' | 'from'> & { workspaceName: string }): Draft =>
  draft(
    `${workspaceName} changed your email address`,
    `If you did not ask for this, contact ${workspaceName}.`,
    [
      greeting(partnerName),
      [
        { name: workspaceName },
        ' changed the address of your partner account. It was ',
        { name: from },
        ', and you can no longer sign in to this account with it.',
      ],
      'Earnings, links and connected accounts did not change.',
      ['If you did not ask for this, contact ', { name: workspaceName }, ' immediately.'],
    ],
  )

/** Reports a sign-in in a browser that is new to the person's account, also if somebody else did it. */
export const newBrowserDraft = ({ browser, signedInAt, url }: NewBrowserDetails): Draft =>
  draft('New sign-in to your Tributary account', 'If it was you, you need to do nothing.', [
    'Hello,',
    ['Your account was signed in to in a new browser: ', { name: browser }, ', ', { name: signedInAt }, '.'],
    'If it was you, you need to do nothing.',
    'If it was not you, somebody can read your email. Change the password of your mailbox, then choose “Sign out everywhere” on the page of your sessions.',
    { button: 'View sessions', link: url },
  ])

/** What a change of a partner's Stripe account means. */
const changeWords = ({ workspaceName, change, heldUntil }: PayoutAccountDetails): Paragraph => {
  const name = { name: workspaceName }
  if (change === 'connected')
    return ['A Stripe account was connected. ', name, ' pays you to it once Stripe has your details.']
  if (change === 'disconnected')
    return ['Your Stripe account was disconnected. ', name, ' cannot pay you until you connect one.']
  return [
    'Another Stripe account was connected in place of your former one. ',
    name,
    ` pays you to it from ${heldUntil ?? 'then'} on.`,
  ]
}

const ACCOUNT_SUBJECTS: Record<PayoutAccountDetails['change'], (merchant: string) => string> = {
  connected: (merchant) => `Your Stripe account for payouts from ${merchant} was connected`,
  changed: (merchant) => `Your Stripe account for payouts from ${merchant} was changed`,
  disconnected: (merchant) => `Your Stripe account for payouts from ${merchant} was disconnected`,
}

/** Reports that a partner's Stripe account was connected, changed or disconnected, also if somebody else did it. */
export const payoutAccountDraft = (details: PayoutAccountDetails): Draft => {
  const { partnerName, workspaceName, change, confirmUrl, portalUrl } = details
  const confirm: Paragraph[] =
    change === 'changed' && confirmUrl
      ? [
          'If it was you, confirm the account to be paid to it without waiting:',
          { button: 'Confirm account', link: confirmUrl },
          'The link works while you are signed in to the portal with this address.',
        ]
      : []
  return draft(ACCOUNT_SUBJECTS[change](workspaceName), 'If you did not do this, open the portal.', [
    greeting(partnerName),
    changeWords(details),
    ...confirm,
    change === 'changed'
      ? 'If you did not do this, do not confirm it: open the portal, disconnect the account, and contact the merchant immediately.'
      : 'If you did not do this, open the portal, check your account, and contact the merchant.',
    { button: 'Open portal', link: portalUrl },
    HOW_TO_SIGN_IN,
  ])
}

/** Reports to the other managers that somebody imported opening balances, which the next payout run pays. */
export const openingBalancesDraft = (details: OpeningBalancesDetails): Draft => {
  const { workspaceName, programName, importedBy, balances, amountCents, url } = details
  const amount = formatMoney(amountCents, 'USD')
  return draft(
    `Opening balances imported: ${amount}`,
    'They are payable now: the next payout run pays them.',
    [
      'Hello,',
      [
        { name: importedBy },
        ` imported ${counted(balances, 'opening balance')} of ${amount} in total into the program `,
        { name: programName },
        ' of ',
        { name: workspaceName },
        '.',
      ],
      'They are payable now: the next payout run pays them.',
      'If you did not expect this, hold these commissions before the next payout run, and ask who imported them. The audit log lists them.',
      { button: 'Open audit log', link: url },
      'All other managers of the workspace receive this email.',
    ],
  )
}

/** A sign-in link. */
export const signInDraft = ({ url, expiresInMinutes }: Omit<SignInMail, 'to'>): Draft =>
  draft('Your sign-in link for Tributary', `The link works once, within ${expiresInMinutes} minutes.`, [
    'Hello,',
    'Use this link to sign in to Tributary:',
    { button: 'Sign in', link: url },
    `The link works once, within ${expiresInMinutes} minutes.`,
    'If you did not request it, ignore this email. Nobody can sign in without it.',
  ])
