/**
 * The texts of emails about people: signing in, invitations to a program, addresses, and connected
 * accounts.
 */

import { inEnglish, type Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { SignInMail } from '../mailer.rpc.ts'
import type {
  AddressDetails,
  MessageDetails,
  MovedDetails,
  NewBrowserDetails,
  PartnerInvitationDetails,
  PasskeyDetails,
  PayoutAccountDetails,
  RejectionDetails,
  WelcomeDetails,
} from '../outbox/details.ts'
import { draft, editableDraft, greeting, paragraph } from './compose.tsx'
import type { Draft, Paragraph } from './paragraphs.ts'
import { type EditedText, introOfBackend } from './texts.ts'

/** A merchant whose workspace has no name in a mail has that of the program. */
const merchantNamed = <Details extends { workspaceName: string | null; programName: string }>(
  details: Details,
) => ({
  ...details,
  workspaceName: details.workspaceName ?? details.programName,
})

/** Who sent a mail that a merchant caused, which nobody can leave out. */
const sentBy = (workspaceName: string | null, sender: string | null, t: Translate): Paragraph[] =>
  workspaceName && sender
    ? [
        paragraph(t, m.mail_sent_by, {
          workspace: { name: workspaceName },
          sender: { name: sender },
        }),
      ]
    : []

/**
 * What becomes of the links that a partner has shared. The earlier platform’s is as it was
 * imported, if it is known.
 */
const linksOf = ({ link: own, formerLink }: MovedDetails, t: Translate): Paragraph[] => {
  const link = { text: own }
  if (!formerLink) return [paragraph(t, m.mail_your_link, { link }), t(m.mail_same_ending)]
  const former = paragraph(t, m.mail_former_link, { link: { text: formerLink.url } })
  return formerLink.works
    ? [former, t(m.mail_former_works), paragraph(t, m.mail_link_from_now, { link })]
    : [former, t(m.mail_former_ended), paragraph(t, m.mail_new_link, { link })]
}

/**
 * "We’ve moved": informs an imported partner that the program has moved (spec section 4.3). What
 * the merchant wrote is text, also the links: only the portal is linked.
 */
export const movedDraft = (details: MovedDetails, edited?: EditedText, t = inEnglish): Draft =>
  editableDraft(
    'moved',
    merchantNamed(details),
    edited,
    [
      ...linksOf(details, t),
      paragraph(t, m.mail_find_link, { link: { link: details.portalUrl } }),
      t(m.mail_sign_in_hint),
      t(m.mail_thanks),
      ...sentBy(details.workspaceName, details.sentBy, t),
    ],
    t,
  )

/** Welcomes a partner that a manager has added, or whose application was approved. */
export const welcomeDraft = (details: WelcomeDetails, edited?: EditedText, t = inEnglish): Draft =>
  editableDraft(
    'welcome',
    details,
    edited,
    [
      paragraph(t, m.mail_your_link, { link: { text: details.link } }),
      paragraph(t, m.mail_see_earnings, { link: { link: details.portalUrl } }),
      t(m.mail_sign_in_hint),
      ...sentBy(details.workspaceName, details.sentBy, t),
      t(m.mail_unexpected),
    ],
    t,
  )

/** What a manager wrote to many partners. It is text: nothing in it becomes a link. */
export const messageDraft = (details: MessageDetails, written: EditedText, t = inEnglish): Draft =>
  editableDraft('message', details, written, sentBy(details.workspaceName, details.sentBy, t), t)

/** Invites somebody to be a partner. What a backend sends is in the name of its workspace. */
export const partnerInvitationDraft = (
  details: PartnerInvitationDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft => {
  const { invitedBy, workspaceName, url } = details
  const words = {
    subject: edited?.subject ?? null,
    intro: edited?.intro ?? (invitedBy ? null : introOfBackend(t)),
  }
  return editableDraft(
    'partner_invitation',
    { ...details, invitedBy: invitedBy ?? workspaceName },
    words,
    [
      { button: t(m.mail_see_terms), link: url },
      t(m.mail_sign_in_hint_you),
      ...sentBy(workspaceName, invitedBy, t),
      t(m.mail_no_partner),
    ],
    t,
  )
}

/** Says that an application was rejected. What the merchant wrote is text. */
export const rejectionDraft = (
  details: RejectionDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft =>
  editableDraft(
    'application_rejected',
    details,
    edited,
    details.reason ? [paragraph(t, m.mail_the_reason, { reason: { text: details.reason } })] : [],
    t,
  )

/** The link that proves a partner's new address. */
export const addressLinkDraft = (
  { partnerName, from, to, url }: AddressDetails,
  t = inEnglish,
): Draft =>
  draft(t(m.mail_address_subject), t(m.mail_address_preview), [
    greeting(partnerName, t),
    paragraph(t, m.mail_address_wants, { from: { name: from }, to: { name: to } }),
    t(m.mail_address_open),
    { button: t(m.mail_address_button), link: url },
    t(m.mail_address_once),
    t(m.mail_address_ignore),
  ])

/** Notifies the old address of a partner that it was replaced. */
export const addressChangedDraft = (details: AddressDetails, t = inEnglish): Draft => {
  const { partnerName, from, to, url, workspaceName, revertUrl, heldUntil } = details
  if (workspaceName) return addressCorrectedDraft({ partnerName, from, workspaceName }, t)
  return draft(t(m.mail_address_changed_subject), t(m.mail_address_changed_preview), [
    greeting(partnerName, t),
    paragraph(t, m.mail_address_changed, { from: { name: from }, to: { name: to } }),
    t(m.mail_address_changed_same),
    ...(revertUrl && heldUntil
      ? [
          paragraph(t, m.mail_address_changed_undo, {
            time: { name: heldUntil },
            from: { name: from },
          }),
          { button: t(m.undo_address), link: revertUrl },
        ]
      : []),
    t(m.mail_address_changed_contact),
    { button: t(m.mail_open_portal), link: url },
  ])
}

type Correction = Pick<AddressDetails, 'partnerName' | 'from'> & { workspaceName: string }

/** The same when a manager did it. The new address may be another person's, so it is not named. */
const addressCorrectedDraft = (
  { partnerName, from, workspaceName }: Correction,
  t: Translate,
): Draft => {
  const name = { workspace: workspaceName }
  const workspace = { name: workspaceName }
  return draft(
    t(m.mail_address_corrected_subject, name),
    t(m.mail_address_corrected_preview, name),
    [
      greeting(partnerName, t),
      paragraph(t, m.mail_address_corrected, { workspace, from: { name: from } }),
      t(m.mail_address_corrected_same),
      paragraph(t, m.mail_address_corrected_contact, { workspace }),
    ],
  )
}

/**
 * Reports a sign-in in a browser that is new to the person's account, also if somebody else did it.
 */
export const newBrowserDraft = (
  { browser, signedInAt, url }: NewBrowserDetails,
  t = inEnglish,
): Draft =>
  draft(t(m.mail_browser_subject), t(m.mail_browser_was_you), [
    t(m.mail_hello),
    paragraph(t, m.mail_browser, { browser: { name: browser }, time: { name: signedInAt } }),
    t(m.mail_browser_was_you),
    t(m.mail_browser_not_you),
    { button: t(m.mail_browser_button), link: url },
  ])

const passkeyWords = (
  { change, name, browser = '', by }: PasskeyDetails,
  t: Translate,
): Paragraph => {
  const passkey = { name }
  if (change === 'added')
    return paragraph(t, m.mail_passkey_added, { passkey, browser: { name: browser } })
  return by
    ? paragraph(t, m.mail_passkey_removed_by, { passkey, by: { name: by } })
    : paragraph(t, m.mail_passkey_removed, { passkey, browser: { name: browser } })
}

/**
 * Reports that a passkey was added to or removed from the person's account, also if somebody else
 * did it.
 */
export const passkeyDraft = (details: PasskeyDetails, t = inEnglish): Draft => {
  const { change, countsFrom, url } = details
  const subject = change === 'added' ? m.mail_passkey_added_subject : m.mail_passkey_removed_subject
  return draft(t(subject), t(m.mail_browser_was_you), [
    t(m.mail_hello),
    passkeyWords(details, t),
    ...(countsFrom ? [paragraph(t, m.mail_passkey_waits, { time: { name: countsFrom } })] : []),
    t(m.mail_browser_was_you),
    t(m.mail_passkey_not_you),
    { button: t(m.mail_passkey_button), link: url },
  ])
}

/** What a change of a partner's Stripe account means. */
const changeWords = (
  { workspaceName, change, heldUntil }: PayoutAccountDetails,
  t: Translate,
): Paragraph => {
  const workspace = { name: workspaceName }
  if (change === 'connected') return paragraph(t, m.mail_account_connected, { workspace })
  if (change === 'disconnected') return paragraph(t, m.mail_account_disconnected, { workspace })
  return heldUntil
    ? paragraph(t, m.mail_account_changed, { workspace, time: { name: heldUntil } })
    : paragraph(t, m.mail_account_changed_then, { workspace })
}

const ACCOUNT_SUBJECTS = {
  connected: m.mail_account_connected_subject,
  changed: m.mail_account_changed_subject,
  disconnected: m.mail_account_disconnected_subject,
} as const

/**
 * Reports that a partner's Stripe account was connected, changed or disconnected, also if somebody
 * else did it.
 */
export const payoutAccountDraft = (details: PayoutAccountDetails, t = inEnglish): Draft => {
  const { partnerName, workspaceName: workspace, change, confirmUrl, portalUrl, isFormer } = details
  const confirm: Paragraph[] =
    change === 'changed' && confirmUrl
      ? [
          t(m.mail_account_confirm),
          { button: t(m.confirm_account), link: confirmUrl },
          t(m.mail_account_confirm_hint),
        ]
      : []
  return draft(t(ACCOUNT_SUBJECTS[change], { workspace }), t(m.mail_account_preview), [
    greeting(partnerName, t),
    changeWords(details, t),
    ...confirm,
    ...(isFormer
      ? [t(m.mail_former_address)]
      : [
          t(change === 'changed' ? m.mail_account_not_you_changed : m.mail_account_not_you),
          { button: t(m.mail_open_portal), link: portalUrl },
          t(m.mail_sign_in_hint),
        ]),
  ])
}

/** A sign-in link. */
export const signInDraft = (
  { url, expiresInMinutes: minutes }: Pick<SignInMail, 'url' | 'expiresInMinutes'>,
  t = inEnglish,
): Draft =>
  draft(t(m.mail_sign_in_subject), t(m.mail_sign_in_once, { minutes }), [
    t(m.mail_hello),
    t(m.mail_sign_in_use),
    { button: t(m.sign_in), link: url },
    t(m.mail_sign_in_once, { minutes }),
    t(m.mail_sign_in_ignore),
  ])
