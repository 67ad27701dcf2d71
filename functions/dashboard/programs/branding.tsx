import { type Brand, isBranded, MAX_LOGO_URL_LENGTH } from '../../../lib/brand/brand.ts'
import type { StoredBrand } from '../../../lib/brand/brands.queries.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { QuietButton } from '../../../lib/pages/forms/buttons.tsx'
import { controls, Field, type FormState } from '../../../lib/pages/forms/fields.tsx'
import { accentClass, Logo, Support } from '../../../lib/pages/layout/brand.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import { MAX_EMAIL_LENGTH } from '../../../lib/values/emails.ts'

export const BRAND_LABELS = {
  logoUrl: m.programs_logo_url,
  accentColor: m.programs_accent_color,
  supportEmail: m.programs_support_address,
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

const Saved = ({ program, brand }: { program: Program; brand: Brand }) =>
  isBranded(brand) ? (
    <div class={['card', accentClass(brand)].filter(Boolean).join(' ')}>
      <h3>{t(m.layout_preview)}</h3>
      <Logo logoUrl={brand.logoUrl} name={program.name} />
      <p class="actions">
        <span class="button">{t(m.programs_button)}</span>{' '}
        <a href={program.siteUrl} rel="noreferrer">
          {new URL(program.siteUrl).host}
        </a>
      </p>
      <Support supportEmail={brand.supportEmail} />
    </div>
  ) : (
    <p class="empty">{t(m.programs_no_branding_yet)}</p>
  )

type FormProps = {
  base: string
  program: Program
  brand: StoredBrand
  refused: FormState | undefined
}

const BrandForm = ({ base, program, brand, refused }: FormProps) => {
  const control = controls(BRAND_LABELS, refused ?? { fields: fieldsOf(brand) })
  return (
    <form method="post" action={`${base}/programs/${program.id}/branding`}>
      <input type="hidden" name="brandVersion" value={brand.version} />
      <Field
        {...control('logoUrl')}
        hint={t(m.programs_logo_hint)}
        type="url"
        maxlength={MAX_LOGO_URL_LENGTH}
        autocomplete="off"
      />
      <Field
        {...control('accentColor')}
        hint={t(m.programs_color_hint)}
        pattern="#[0-9a-fA-F]{6}"
        maxlength={7}
        autocomplete="off"
        spellcheck="false"
      />
      <Field
        {...control('supportEmail')}
        hint={t(m.programs_support_hint)}
        type="email"
        maxlength={MAX_EMAIL_LENGTH}
        autocomplete="off"
      />
      <button type="submit">{t(m.programs_save_branding)}</button>
    </form>
  )
}

/** Where replies to the program's mails go, and the button that mails the confirmation link. */
const Replies = ({ base, program, brand, mayChange }: FormProps & { mayChange: boolean }) => {
  if (!brand.supportEmail) return null
  if (brand.supportEmailVerified)
    return <p>{t(m.programs_support_confirmed, { supportEmail: brand.supportEmail })}</p>
  return (
    <>
      <p>{t(m.programs_support_not_confirmed, { supportEmail: brand.supportEmail })}</p>
      {mayChange && (
        <form method="post" action={`${base}/programs/${program.id}/branding/confirmation`}>
          <input type="hidden" name="supportEmail" value={brand.supportEmail} />
          <QuietButton>{t(m.programs_send_confirmation_link)}</QuietButton>
        </form>
      )}
    </>
  )
}

/** A program's brand, and the form that changes it. */
export const Branding = ({ mayChange, ...props }: FormProps & { mayChange: boolean }) => (
  <>
    <h2 id="branding">{t(m.programs_branding)}</h2>
    <p>{t(m.programs_branding_intro)}</p>
    <Saved program={props.program} brand={props.brand} />
    <Replies {...props} mayChange={mayChange} />
    {mayChange && <BrandForm {...props} />}
  </>
)
