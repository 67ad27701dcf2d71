import { counted } from '../../lib/plural.ts'

/** Names per reason. More would make the page long, and the rest are like them. */
const NAMES_SHOWN = 20

type Partner = { id: string; name: string | null; slug: string }

type Props<Reason extends string> = {
  base: string
  skipped: readonly { partner: Partner; reason: Reason }[]
  /** In the order in which they are shown. */
  reasons: readonly Reason[]
  why: Record<Reason, string>
}

/** Which of the chosen partners get no mail, by the reason. */
export const Skipped = <Reason extends string>({ base, skipped, reasons, why }: Props<Reason>) => (
  <>
    <h2>{counted(skipped.length, 'partner')} will not get it</h2>
    <ul>
      {reasons.map((reason) => {
        const partners = skipped.filter((one) => one.reason === reason).map(({ partner }) => partner)
        if (partners.length === 0) return null
        return (
          <li>
            {counted(partners.length, 'partner')}: {why[reason]} (
            {partners.slice(0, NAMES_SHOWN).map(({ id, name, slug }, index) => (
              <>
                {index > 0 && ', '}
                <a href={`${base}/partners/${id}`}>{name ?? slug}</a>
              </>
            ))}
            {partners.length > NAMES_SHOWN && ` and ${partners.length - NAMES_SHOWN} more`})
          </li>
        )
      })}
    </ul>
  </>
)
