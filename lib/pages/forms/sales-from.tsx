/** The choice of who reports the sales that earn. */
import type { ErrorDetail } from '../../http/errors.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { SalesFrom } from '../../rules/purchases/processors.ts'
import { t } from '../layout/text.ts'
import { Select } from './fields.tsx'

export const SALES_FROM_LABEL = m.stripe_sales_reported

const OPTIONS: { value: SalesFrom; label: Message }[] = [
  { value: 'both', label: m.stripe_and_backend },
  { value: 'stripe', label: m.stripe_only },
  { value: 'api', label: m.stripe_backend_only },
]

type Props = { value: string | null | undefined; errors: ErrorDetail[] | undefined }

export const SalesFromSelect = ({ value, errors }: Props) => (
  <Select
    label={t(SALES_FROM_LABEL)}
    name="salesFrom"
    hint={t(m.stripe_sales_from_hint)}
    options={OPTIONS}
    value={value}
    errors={errors}
  />
)
