/** The choices of who reports sales, and of the payment processor's mode. */
import type { ErrorDetail } from '../../http/errors.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { Mode, SalesFrom } from '../../rules/purchases/processors.ts'
import { t } from '../layout/text.ts'
import { Select } from './fields.tsx'

export const SALES_FROM_LABEL = m.stripe_sales_reported
export const MODE_LABEL = m.layout_stripe_mode

const REPORTERS: { value: SalesFrom; label: Message }[] = [
  { value: 'both', label: m.stripe_and_backend },
  { value: 'stripe', label: m.stripe_only },
  { value: 'api', label: m.stripe_backend_only },
]

const MODES: { value: Mode; label: Message }[] = [
  { value: 'live', label: m.layout_live_mode },
  { value: 'test', label: m.layout_test_mode_option },
]

type Props = { value: string | null | undefined; errors: ErrorDetail[] | undefined }

export const SalesFromSelect = (props: Props) => (
  <Select
    label={t(SALES_FROM_LABEL)}
    name="salesFrom"
    hint={t(m.stripe_sales_from_hint)}
    options={REPORTERS}
    {...props}
  />
)

export const ModeSelect = (props: Props) => (
  <Select
    label={t(MODE_LABEL)}
    name="mode"
    hint={t(m.layout_mode_hint)}
    options={MODES}
    {...props}
  />
)
