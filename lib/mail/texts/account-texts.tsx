/** The texts of mails about people: signing in, invitations to a program, addresses and accounts. */

import { inEnglish, type Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { SignInMail } from '../mailer.rpc.ts'
import { optional, required, type Stored } from '../outbox/stored-details.ts'
import { draft, editableDraft, greeting, paragraph, type Write } from './compose.tsx'
import type { Draft, Paragraph } from './paragraphs.ts'
import { introOfBackend } from './texts.ts'

/** Names the sender of a mail that a merchant caused. Managers cannot remove it. */
const sentBy = (workspace: string | null, sender: string | null, t: Translate): Paragraph[] =>
  workspace && sender
    ? [paragraph(t, m.mail_sent_by, { workspace: { name: workspace }, sender: { name: sender } })]
    : []

/** Describes what happens to the links that a partner has shared, if they are known. */
const linksOf = (details: Stored, t: Translate): Paragraph[] => {
  const link = { text: required(details, 'link').link }
  const { url, works } = Object(details.formerLink) as Stored
  if (typeof url !== 'string')
    return [paragraph(t, m.mail_your_link, { link }), t(m.mail_same_ending)]
  const former = paragraph(t, m.mail_former_link, { link: { text: url } })
  return works === true
    ? [former, t(m.mail_former_works), paragraph(t, m.mail_link_from_now, { link })]
    : [former, t(m.mail_former_ended), paragraph(t, m.mail_new_link, { link })]
}

/** Omits the new address if a manager corrected it: it may belong to another person. */
const addressCorrected = (details: Stored, name: string, t: Translate): Draft => {
  const { from } = required(details, 'from')
  const workspace = { name }
  return draft(
    t(m.mail_address_corrected_subject, { workspace: name }),
    t(m.mail_address_corrected_preview, { workspace: name }),
    [
      greeting(details, t),
      paragraph(t, m.mail_address_corrected, { workspace, from: { name: from } }),
      t(m.mail_address_corrected_same),
      paragraph(t, m.mail_address_corrected_contact, { workspace }),
    ],
  )
}

const passkeyWords = (details: Stored, t: Translate): Paragraph => {
  const passkey = required(details, 'name')
  const browser = { name: optional(details, 'browser') ?? '' }
  const by = optional(details, 'by')
  if (details.change !== 'removed') return paragraph(t, m.mail_passkey_added, { passkey, browser })
  return by
    ? paragraph(t, m.mail_passkey_removed_by, { passkey, by: { name: by } })
    : paragraph(t, m.mail_passkey_removed, { passkey, browser })
}

const ACCOUNT_SUBJECTS = {
  connected: m.mail_account_connected_subject,
  changed: m.mail_account_changed_subject,
  disconnected: m.mail_account_disconnected_subject,
} as const
type AccountChange = keyof typeof ACCOUNT_SUBJECTS

const changeOf = ({ change }: Stored): AccountChange =>
  change === 'disconnected' || change === 'changed' ? change : 'connected'

/** Describes a change of a partner's Stripe account. */
const accountWords = (details: Stored, workspaceName: string, t: Translate): Paragraph => {
  const workspace = { name: workspaceName }
  const change = changeOf(details)
  if (change === 'connected') return paragraph(t, m.mail_account_connected, { workspace })
  if (change === 'disconnected') return paragraph(t, m.mail_account_disconnected, { workspace })
  const heldUntil = optional(details, 'heldUntil')
  return heldUntil
    ? paragraph(t, m.mail_account_changed, { workspace, time: { name: heldUntil } })
    : paragraph(t, m.mail_account_changed_then, { workspace })
}

export const ACCOUNT_TEXTS = {
  // Links in the merchant's words stay text: only the portal is linked.
  moved: (details, t, edited, reward) => {
    const { programName, portalUrl } = required(details, 'programName', 'portalUrl')
    const workspaceName = optional(details, 'workspaceName')
    const values = { ...details, workspaceName: workspaceName ?? programName }
    const rest = [
      ...linksOf(details, t),
      ...reward,
      paragraph(t, m.mail_find_link, { link: { link: portalUrl } }),
      t(m.mail_sign_in_hint),
      t(m.mail_thanks),
      ...sentBy(workspaceName, optional(details, 'sentBy'), t),
    ]
    return editableDraft('moved', values, edited, rest, t)
  },
  welcome: (details, t, edited, reward) => {
    const { portalUrl, link } = required(details, 'programName', 'portalUrl', 'link')
    const rest = [
      paragraph(t, m.mail_your_link, { link: { text: link } }),
      ...reward,
      paragraph(t, m.mail_see_earnings, { link: { link: portalUrl } }),
      t(m.mail_sign_in_hint),
      ...sentBy(optional(details, 'workspaceName'), optional(details, 'sentBy'), t),
      t(m.mail_unexpected),
    ]
    return editableDraft('welcome', details, edited, rest, t)
  },
  // Links in a manager's words stay text.
  message: (details, t, edited) => {
    if (!edited) throw new Error('The text of this mail was removed.')
    const names = ['programName', 'portalUrl', 'workspaceName', 'sentBy'] as const
    const { workspaceName, sentBy: sender } = required(details, ...names)
    return editableDraft('message', details, edited, sentBy(workspaceName, sender, t), t)
  },
  // An invitation by a backend is in the name of its workspace.
  partner_invitation: (details, t, edited, reward) => {
    const { workspaceName, url } = required(details, 'programName', 'workspaceName', 'url')
    const invitedBy = optional(details, 'invitedBy')
    const words = {
      subject: edited?.subject ?? null,
      intro: edited?.intro ?? (invitedBy ? null : introOfBackend(t)),
    }
    const rest = [
      ...reward,
      { button: t(m.mail_see_terms), link: url },
      t(m.mail_sign_in_hint_you),
      ...sentBy(workspaceName, invitedBy, t),
      t(m.mail_no_partner),
    ]
    const values = { ...details, invitedBy: invitedBy ?? workspaceName }
    return editableDraft('partner_invitation', values, words, rest, t)
  },
  application_rejected: (details, t, edited) => {
    required(details, 'applicantName', 'programName')
    const reason = optional(details, 'reason')
    const rest = reason ? [paragraph(t, m.mail_the_reason, { reason: { text: reason } })] : []
    return editableDraft('application_rejected', details, edited, rest, t)
  },
  address_link: (details, t) => {
    const { from, to, url } = required(details, 'from', 'to', 'url')
    return draft(t(m.mail_address_subject), t(m.mail_address_preview), [
      greeting(details, t),
      paragraph(t, m.mail_address_wants, { from: { name: from }, to: { name: to } }),
      t(m.mail_address_open),
      { button: t(m.mail_address_button), link: url },
      t(m.mail_address_once),
      t(m.mail_address_ignore),
    ])
  },
  address_changed: (details, t) => {
    const { from, to, url } = required(details, 'from', 'to', 'url')
    const workspaceName = optional(details, 'workspaceName')
    if (workspaceName) return addressCorrected(details, workspaceName, t)
    const revertUrl = optional(details, 'revertUrl')
    const heldUntil = optional(details, 'heldUntil')
    const time = { name: heldUntil ?? '' }
    return draft(t(m.mail_address_changed_subject), t(m.mail_address_changed_preview), [
      greeting(details, t),
      paragraph(t, m.mail_address_changed, { from: { name: from }, to: { name: to } }),
      t(m.mail_address_changed_same),
      ...(revertUrl && heldUntil
        ? [
            paragraph(t, m.mail_address_changed_undo, { time, from: { name: from } }),
            { button: t(m.undo_address), link: revertUrl },
          ]
        : []),
      t(m.mail_address_changed_contact),
      { button: t(m.mail_open_portal), link: url },
    ])
  },
  new_browser: (details, t) => {
    const { browser, signedInAt, url } = required(details, 'browser', 'signedInAt', 'url')
    return draft(t(m.mail_browser_subject), t(m.mail_browser_was_you), [
      t(m.mail_hello),
      paragraph(t, m.mail_browser, { browser: { name: browser }, time: { name: signedInAt } }),
      t(m.mail_browser_was_you),
      t(m.mail_browser_not_you),
      { button: t(m.mail_browser_button), link: url },
    ])
  },
  passkey: (details, t) => {
    const isRemoved = details.change === 'removed'
    const subject = isRemoved ? m.mail_passkey_removed_subject : m.mail_passkey_added_subject
    const countsFrom = optional(details, 'countsFrom')
    return draft(t(subject), t(m.mail_browser_was_you), [
      t(m.mail_hello),
      passkeyWords(details, t),
      ...(countsFrom ? [paragraph(t, m.mail_passkey_waits, { time: { name: countsFrom } })] : []),
      t(m.mail_browser_was_you),
      t(m.mail_passkey_not_you),
      { button: t(m.mail_passkey_button), link: required(details, 'url').url },
    ])
  },
  tier_changed: (details, t) => {
    const { programName, tier, portalUrl } = required(details, 'programName', 'tier', 'portalUrl')
    const [subject, words] =
      details.change === 'left'
        ? ([m.mail_tier_left_subject, m.mail_tier_left] as const)
        : ([m.mail_tier_reached_subject, m.mail_tier_reached] as const)
    const values = { tier: { name: tier }, program: { name: programName } }
    return draft(t(subject, { tier, program: programName }), t(m.mail_tier_preview), [
      greeting(details, t),
      paragraph(t, words, values),
      t(m.mail_tier_preview),
      { button: t(m.mail_open_portal), link: portalUrl },
      t(m.mail_sign_in_hint),
    ])
  },
  payout_account: (details, t) => {
    const { workspaceName, portalUrl } = required(details, 'workspaceName', 'portalUrl')
    const change = changeOf(details)
    const confirmUrl = optional(details, 'confirmUrl')
    const confirm: Paragraph[] =
      change === 'changed' && confirmUrl
        ? [
            t(m.mail_account_confirm),
            { button: t(m.confirm_account), link: confirmUrl },
            t(m.mail_account_confirm_hint),
          ]
        : []
    const subject = t(ACCOUNT_SUBJECTS[change], { workspace: workspaceName })
    return draft(subject, t(m.mail_account_preview), [
      greeting(details, t),
      accountWords(details, workspaceName, t),
      ...confirm,
      ...(details.isFormer === true
        ? [t(m.mail_former_address)]
        : [
            t(change === 'changed' ? m.mail_account_not_you_changed : m.mail_account_not_you),
            { button: t(m.mail_open_portal), link: portalUrl },
            t(m.mail_sign_in_hint),
          ]),
    ])
  },
} satisfies Record<string, Write>

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
