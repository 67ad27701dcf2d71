/** Parts of pages that show the brand of a program. */

import type { Brand } from '../../brand/brand.ts'
import { accentColors } from '../../brand/colors.ts'
import type { Tag } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { t } from './text.ts'

/** The class of what has an accent colour. */
export const accentClass = ({ accentColor }: Pick<Brand, 'accentColor'>): string | undefined =>
  accentColor ? `accent-${accentColor.slice(1)}` : undefined

/** The style rules of the accent colours of a page: the colours of app.css, within each class. */
export const accentRules = (brands: readonly Pick<Brand, 'accentColor'>[]): string =>
  [...new Set(brands.flatMap(({ accentColor }) => accentColor ?? []))]
    .map((accentColor) => {
      const { onLight, onDark, button, buttonText } = accentColors(accentColor)
      return `.${accentClass({ accentColor })}{--accent:light-dark(${onLight},${onDark});--button:${button};--on-accent:${buttonText};--tint:var(--side)}`
    })
    .join('')

/**
 * The logo of a program, in a box whose size does not depend on the image. The name is shown there
 * if there is no image.
 */
export const Logo = ({ logoUrl, name }: Pick<Brand, 'logoUrl'> & { name: string }) =>
  logoUrl && (
    <p class="logo">
      <img src={logoUrl} alt={name} width="200" height="48" referrerpolicy="no-referrer" />
    </p>
  )

/** A link that writes to an address, whatever characters it has. */
const MailTo = ({ address }: { address: string }) => (
  <a href={`mailto:${encodeURIComponent(address)}`}>
    <bdi>{address}</bdi>
  </a>
)

/** "the merchant" in a sentence, with links to the addresses that are known. */
export const merchantAt =
  (...addresses: readonly (string | null)[]): Tag =>
  (content) => {
    const known = addresses.filter((address) => address !== null)
    return (
      <>
        {content}
        {known.map((address, index) => (
          <>
            {index === 0 ? ' (' : ', '}
            <MailTo address={address} />
          </>
        ))}
        {known.length > 0 && ')'}
      </>
    )
  }

/** Where the program's partners write to. */
export const Support = ({ supportEmail }: Pick<Brand, 'supportEmail'>) =>
  supportEmail && (
    <p class="hint">{t(m.questions, { address: () => <MailTo address={supportEmail} /> })}</p>
  )
