import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'

/** Names per reason. More would only make the page longer. */
const NAMES_SHOWN = 20

type Partner = { id: string; name: string | null; slug: string }

type Props<Reason extends string> = {
  base: string
  skipped: readonly { partner: Partner; reason: Reason }[]
  /** In display order. */
  reasons: readonly Reason[]
  why: Record<Reason, Message>
}

const Names = ({ base, partners }: { base: string; partners: readonly Partner[] }) => (
  <>
    {partners.map(({ id, name, slug }, index) => (
      <>
        {index > 0 && ', '}
        <a href={`${base}/partners/${id}`}>{name ?? slug}</a>
      </>
    ))}
  </>
)

/** The selected partners who get no mail, by reason. */
export const Skipped = <Reason extends string>({ base, skipped, reasons, why }: Props<Reason>) => (
  <>
    <h2>{t(m.partners_skipped, { count: skipped.length })}</h2>
    <ul>
      {reasons.map((reason) => {
        const partners = skipped
          .filter((one) => one.reason === reason)
          .map(({ partner }) => partner)
        if (partners.length === 0) return null
        const more = partners.length - NAMES_SHOWN
        const values = {
          count: partners.length,
          why: t(why[reason]),
          names: () => <Names base={base} partners={partners.slice(0, NAMES_SHOWN)} />,
        }
        return (
          <li>
            {more > 0
              ? t(m.partners_skipped_more, { ...values, more })
              : t(m.partners_skipped_as, values)}
          </li>
        )
      })}
    </ul>
  </>
)
