import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton, Submit } from '../../../lib/pages/forms/buttons.tsx'
import { controls, Field, Select } from '../../../lib/pages/forms/fields.tsx'
import { methodTitle, methodWords, paidBy } from '../../../lib/pages/forms/payment-method.ts'
import { merchantAt } from '../../../lib/pages/layout/brand.tsx'
import { Done, LinkLine, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { name } from '../../../lib/pages/parts/tags.tsx'
import type { PaymentChoice } from '../../../lib/payouts/details/payment-details.queries.ts'
import { offeredMethods, type PaymentMethod } from '../../../lib/payouts/details/payment-details.ts'

const LABELS = {
  address: m.account_address,
  iban: m.iban,
  name: m.account_holder,
  holder: m.account_of,
}

type Control = ReturnType<typeof controls<keyof typeof LABELS>>

const address = (control: Control) => (
  <Field {...control('address')} type="email" required maxlength={320} />
)

const HOLDERS = [
  { value: 'person', label: m.holder_person },
  { value: 'company', label: m.holder_company },
]

const holder = (control: Control) => (
  <>
    <Field
      {...control('name')}
      hint={t(m.account_holder_hint)}
      required
      maxlength={70}
      autocomplete="name"
    />
    <Select {...control('holder')} options={HOLDERS} />
  </>
)

/** The fields of each method. Only one form is shown at a time, so ids are unique. */
const FIELDS: Record<Exclude<PaymentMethod, 'stripe'>, (control: Control) => Child> = {
  paypal: address,
  wise: (control) => [address(control), holder(control)],
  iban: (control) => [
    <Field {...control('iban')} required maxlength={42} autocomplete="off" />,
    holder(control),
  ],
}

type DetailsFormProps = { path: string; method: PaymentMethod; control: Control }

const DetailsForm = ({ path, method, control }: DetailsFormProps) => (
  <form method="post" action={path}>
    <h2>{t(m.be_paid_by, { method: methodWords(method) })}</h2>
    <input type="hidden" name="method" value={method} />
    {method === 'stripe' ? <p>{t(m.paid_to_stripe_account)}</p> : FIELDS[method](control)}
    <p class="hint">{t(m.details_encrypted)}</p>
    <Submit>{t(m.save_payment_details)}</Submit>
  </form>
)

const Pending = ({ choice: { pending, workspaceId } }: { choice: PaymentChoice }) =>
  pending && (
    <section class="card">
      <h2>{t(m.change_in_progress)}</h2>
      <p>
        {t(m.change_pending, {
          time: () => <Time at={new Date(pending.effectiveAt)} />,
          method: paidBy(pending),
        })}
      </p>
      <form method="post" action={`/portal/payment/cancel?workspace=${workspaceId}`}>
        <input type="hidden" name="id" value={pending.id} />
        <DangerButton>{t(m.cancel_change)}</DangerButton>
      </form>
    </section>
  )

type Props = {
  choice: PaymentChoice
  /** The support addresses of the merchant's programs. */
  support: string[]
  fields?: Fields
  /** The method of the open form. */
  method?: PaymentMethod | undefined
  errors?: ErrorDetail[]
  refused?: string
  done?: Message | undefined
}

/** The current method, a pending change, and the forms of the methods that the merchant offers. */
export const PaymentPage = ({
  choice,
  support,
  method,
  fields = {},
  errors,
  refused,
  done,
}: Props) => {
  const path = `/portal/payment?workspace=${choice.workspaceId}`
  const methods = offeredMethods(choice)
  const open =
    methods.find((one) => one === method) ?? (methods.length === 1 ? methods[0] : undefined)
  return (
    <>
      <h1>{t(m.payment_details)}</h1>
      <Done message={done} />
      <Problem message={refused} errors={errors} labels={LABELS} />
      <p>
        {choice.current
          ? t(m.paid_by, { workspace: choice.workspaceName, name, method: paidBy(choice.current) })
          : t(m.not_known_how_to_pay, { workspace: choice.workspaceName, name })}
      </p>
      <Pending choice={choice} />
      {methods.length > 1 && (
        <>
          <p>{t(choice.current ? m.choose_to_change : m.choose_method)}</p>
          <nav class="periods" aria-label={t(m.payment_method)}>
            {methods.map((one) => (
              <a href={`${path}&method=${one}`} aria-current={one === open ? 'true' : undefined}>
                {methodTitle(one)}
              </a>
            ))}
          </nav>
        </>
      )}
      {open && (
        <DetailsForm
          path={`${path}&method=${open}`}
          method={open}
          control={controls(LABELS, { fields, errors })}
        />
      )}
      {methods.length === 0 && (
        <p class="empty">{t(m.no_choice, { merchant: merchantAt(...support) })}</p>
      )}
      <LinkLine href="/portal">{t(m.back_to_programs)}</LinkLine>
    </>
  )
}
