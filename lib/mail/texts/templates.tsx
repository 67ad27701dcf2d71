/** An email from the outbox, as it is sent. */
import { type Brand, isBranded } from '../../brand/brand.ts'
import type { Language } from '../../languages/languages.ts'
import { inEnglish, type Translate, translator } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { isOfProgram, isTranslated, type OutboxKind } from '../mails.ts'
import { optional, required, type Stored } from '../outbox/stored-details.ts'
import { ACCOUNT_TEXTS } from './account-texts.tsx'
import { paragraph, render, type Write } from './compose.tsx'
import { inLanguage } from './in-language.ts'
import type { Paragraph } from './paragraphs.ts'
import { PAYOUT_TEXTS } from './payout-texts.tsx'
import { type RenderedMail, subjectLine } from './rendered-mail.ts'
import { type MailedReward, rewardLines } from './reward-lines.tsx'
import { RUN_TEXTS } from './run-texts.tsx'
import { SHADOW_TEXTS } from './shadow-texts.tsx'
import type { EditedText } from './texts.ts'
import { WORKSPACE_TEXTS } from './workspace-texts.tsx'

const TEXTS: Record<OutboxKind, Write> = {
  ...ACCOUNT_TEXTS,
  ...PAYOUT_TEXTS,
  ...RUN_TEXTS,
  ...SHADOW_TEXTS,
  ...WORKSPACE_TEXTS,
}

/** A mail as stored, with the current words of its kind, and the brand of its program. */
type OutboxMail = {
  kind: OutboxKind
  details: Stored
  edited?: EditedText | undefined
  brand?: Brand | undefined
  /** What the partner earns; undefined or null for a mail without it. */
  reward?: MailedReward | null | undefined
  /** Whether it is a test mail, which its subject says. */
  isTest?: boolean
  /** The link that unsubscribes the recipient. */
  unsubscribeUrl?: string | undefined
  /** The recipient's language, if it is known. */
  language?: Language | undefined
}

/** Says at the foot of a mail how to end such mails. */
const unsubscribeLine = (details: Stored, url: string | undefined, t: Translate): Paragraph[] => {
  if (!url) return []
  const workspace = optional(details, 'workspaceName') ?? details.programName
  const link = { link: url, label: t(m.unsubscribe) }
  return [paragraph(t, m.mail_unsubscribe, { workspace: { name: String(workspace) }, link })]
}

/** The content of an outbox email. @throws if its details do not match its kind */
export const outboxContent = ({
  kind,
  details,
  edited,
  brand,
  reward,
  isTest = false,
  unsubscribeUrl,
  language: asked = 'en',
}: OutboxMail): RenderedMail => {
  const language = isTranslated(kind) ? asked : 'en'
  const t = translator(language)
  const own = inLanguage(details, language)
  const hasBrand = brand && isBranded(brand) && isOfProgram(kind)
  const mail = render(
    TEXTS[kind](own, t, edited, reward ? rewardLines(reward, language) : []),
    hasBrand ? { ...brand, name: required(details, 'programName').programName } : undefined,
    unsubscribeLine(details, unsubscribeUrl, t),
    language,
  )
  return isTest
    ? { ...mail, subject: subjectLine(inEnglish(m.mails_test_subject, { subject: mail.subject })) }
    : mail
}
