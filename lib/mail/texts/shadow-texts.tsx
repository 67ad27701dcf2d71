/** The text of the weekly mail to managers about a shadow run. */
import { type Message, inEnglish as t } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { ShadowWeekDetails } from '../outbox/details.ts'
import { listIn, required } from '../outbox/stored-details.ts'
import { draft, paragraph, type Write } from './compose.tsx'

type Sum = ShadowWeekDetails['sums'][number]

type Result = { count: number; here: string; there: string }

/** The sentence about each result. */
const RESULTS: Record<string, Message<Result>> = {
  same: m.mails_shadow_same,
  different: m.mails_shadow_different,
  only_here: m.mails_shadow_only_here,
  only_there: m.mails_shadow_only_there,
}

/** A result of another version is named by its code. */
const sentence = ({ outcome, sales, here, there }: Sum): string => {
  const known = RESULTS[outcome]
  const result = { count: sales, here, there }
  return known ? t(known, result) : t(m.mails_shadow_other, { outcome, ...result })
}

export const SHADOW_TEXTS = {
  shadow_week: (details) => {
    const names = ['workspaceName', 'programName', 'from', 'to', 'url'] as const
    const { workspaceName, programName, from, to, url } = required(details, ...names)
    const sums = listIn<Sum>(details, 'sums')
    const differences = sums
      .filter(({ outcome }) => outcome !== 'same')
      .reduce((sum, { sales }) => sum + sales, 0)
    const days = { from, to }
    const about = { program: programName }
    const [subject, preview] =
      sums.length === 0
        ? [t(m.mails_shadow_empty_subject, about), t(m.mails_shadow_empty_preview, days)]
        : differences === 0
          ? [t(m.mails_shadow_agreed_subject, about), t(m.mails_shadow_agreed_preview, days)]
          : [
              t(m.mails_shadow_subject, { ...about, count: differences }),
              t(m.mails_shadow_preview, { ...days, count: differences }),
            ]
    return draft(subject, preview, [
      t(m.mail_hello),
      paragraph(t, m.mails_shadow_opening, {
        program: { name: programName },
        workspace: { name: workspaceName },
        ...days,
      }),
      ...(sums.length === 0 ? [t(m.mails_shadow_empty)] : sums.map(sentence)),
      t(m.mails_shadow_unpaid),
      { button: t(m.mails_shadow_button), link: url },
      t(m.mails_to_managers),
    ])
  },
} satisfies Record<string, Write>
