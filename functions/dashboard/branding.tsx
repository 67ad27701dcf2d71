import { type Brand, isBranded, MAX_LOGO_URL_LENGTH } from '../../lib/brand/brand.ts'
import type { StoredBrand } from '../../lib/brand/brands.queries.ts'
import { MAX_EMAIL_LENGTH } from '../../lib/emails.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { accentClass, Logo, Support } from '../../lib/pages/brand.tsx'
import { controls, Field, type FormState } from '../../lib/pages/fields.tsx'
import type { Program } from '../../lib/workspace/programs.queries.ts'

export const BRAND_LABELS = {
  logoUrl: 'Logo URL (optional)',
  accentColor: 'Accent color (optional)',
  supportEmail: 'Support address (optional)',
}

/** A form as API input. */
export const readBranding = ({ logoUrl, accentColor, supportEmail, brandVersion }: Fields) => ({
  logoUrl: logoUrl ?? null,
  accentColor: accentColor ?? null,
  supportEmail: supportEmail ?? null,
  version: Number(brandVersion),
})

const fieldsOf = ({ logoUrl, accentColor, supportEmail }: Brand): Fields => ({
  ...(logoUrl && { logoUrl }),
  ...(accentColor && { accentColor }),
  ...(supportEmail && { supportEmail }),
})

/** The saved branding, as partners see it. */
const Saved = ({ program, brand }: { program: Program; brand: Brand }) =>
  isBranded(brand) ? (
    <div class={['card', accentClass(brand)].filter(Boolean).join(' ')}>
      <h3>Preview</h3>
      <Logo logoUrl={brand.logoUrl} name={program.name} />
      <p class="actions">
        <span class="button">Button</span>{' '}
        <a href={program.siteUrl} rel="noreferrer">
          {new URL(program.siteUrl).host}
        </a>
      </p>
      <Support supportEmail={brand.supportEmail} />
    </div>
  ) : (
    <p class="empty">No branding yet. Partners see the name of the program, in Tributary’s colors.</p>
  )

type FormProps = { base: string; program: Program; brand: StoredBrand; refused: FormState | undefined }

const BrandForm = ({ base, program, brand, refused }: FormProps) => {
  const control = controls(BRAND_LABELS, refused ?? { fields: fieldsOf(brand) })
  return (
    <form method="post" action={`${base}/programs/${program.id}/branding`}>
      <input type="hidden" name="brandVersion" value={brand.version} />
      <Field
        {...control('logoUrl')}
        hint="The https address of an image. It is shown up to 200 × 48 pixels large, on light and on dark pages."
        type="url"
        maxlength={MAX_LOGO_URL_LENGTH}
        autocomplete="off"
      />
      <Field
        {...control('accentColor')}
        hint="Of buttons and links, such as #1f5f4a. Links are darkened or lightened where they could not be read."
        pattern="#[0-9a-fA-F]{6}"
        maxlength={7}
        autocomplete="off"
        spellcheck="false"
      />
      <Field
        {...control('supportEmail')}
        hint="Where partners write to. Without one, pages that send a partner to you name the manager who has been one longest."
        type="email"
        maxlength={MAX_EMAIL_LENGTH}
        autocomplete="off"
      />
      <button type="submit">Save branding</button>
    </form>
  )
}

/** Where replies to the program's mails go, and the button that mails the link which confirms the support address. */
const Replies = ({ base, program, brand, isManager }: FormProps & { isManager: boolean }) => {
  if (!brand.supportEmail) return null
  if (brand.supportEmailVerified)
    return <p>{brand.supportEmail} is confirmed: replies to the program’s emails go there.</p>
  return (
    <>
      <p>
        {brand.supportEmail} is not confirmed yet, so replies to the program’s emails go to the sender of this
        installation.
      </p>
      {isManager && (
        <form method="post" action={`${base}/programs/${program.id}/branding/confirmation`}>
          <input type="hidden" name="supportEmail" value={brand.supportEmail} />
          <button type="submit" class="quiet">
            Send confirmation link
          </button>
        </form>
      )}
    </>
  )
}

/** How a program looks to partners, and the form that changes it. */
export const Branding = ({ isManager, ...props }: FormProps & { isManager: boolean }) => (
  <>
    <h2 id="branding">Branding</h2>
    <p>
      The page on which people apply, the portal and the program’s emails to partners show the logo, the color
      and the address.
    </p>
    <Saved program={props.program} brand={props.brand} />
    <Replies {...props} isManager={isManager} />
    {isManager && <BrandForm {...props} />}
  </>
)
