/** Parts of pages that show the brand of a program. */

import type { Brand } from '../../brand/brand.ts'
import { accentColors } from '../../brand/colors.ts'
import type { Tag } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { t } from './text.ts'

/** The class of elements with an accent colour. */
export const accentClass = ({ accentColor }: Pick<Brand, 'accentColor'>): string | undefined =>
  accentColor ? `accent-${accentColor.slice(1)}` : undefined

/** The style rules of a page's accent colours: the colours of app.css, within each class. */
export const accentRules = (brands: readonly Pick<Brand, 'accentColor'>[]): string =>
  [...new Set(brands.flatMap(({ accentColor }) => accentColor ?? []))]
    .map((accentColor) => {
      const { onLight, onDark, button, buttonText } = accentColors(accentColor)
      return `.${accentClass({ accentColor })}{--accent:light-dark(${onLight},${onDark});--button:${button};--on-accent:${buttonText};--tint:var(--side)}`
    })
    .join('')

/** A program's logo, in a box of a fixed size. The box shows the name if there is no image. */
export const Logo = ({ logoUrl, name }: Pick<Brand, 'logoUrl'> & { name: string }) =>
  logoUrl && (
    <p class="logo">
      <img src={logoUrl} alt={name} width="200" height="48" referrerpolicy="no-referrer" />
    </p>
  )

/** A `mailto:` link, whatever characters the address has. */
const MailTo = ({ address }: { address: string }) => (
  <a href={`mailto:${encodeURIComponent(address)}`}>
    <bdi>{address}</bdi>
  </a>
)

/** "the merchant" in a sentence, with links to known addresses. */
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

/** The program's support address, for partners. */
export const Support = ({ supportEmail }: Pick<Brand, 'supportEmail'>) =>
  supportEmail && (
    <p class="hint">{t(m.questions, { address: () => <MailTo address={supportEmail} /> })}</p>
  )
