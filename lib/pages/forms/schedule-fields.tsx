/** A program's payout schedule as text, and as form fields. */
import type { ErrorDetail } from '../../http/errors.ts'
import type { Fields } from '../../http/validate.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import {
  DEFAULT_DAYS,
  LAST_DAY,
  nextOccurrence,
  type PayoutSchedule,
  type Schedule,
} from '../../rules/programs/schedules.ts'
import { shown, t } from '../layout/text.ts'
import { Field, Select } from './fields.tsx'
import { numberIn } from './read-reward.ts'

const SCHEDULES = [
  { value: 'manual', label: m.payouts_manual },
  { value: 'weekly', label: m.payouts_weekly },
  { value: 'twice_monthly', label: m.payouts_twice_month },
  { value: 'monthly', label: m.payouts_monthly },
] as const satisfies { value: PayoutSchedule; label: Message }[]

const WEEKDAYS = [
  m.payouts_monday,
  m.payouts_tuesday,
  m.payouts_wednesday,
  m.payouts_thursday,
  m.payouts_friday,
  m.payouts_saturday,
  m.payouts_sunday,
]
const WEEKDAY_OPTIONS = WEEKDAYS.map((label, index) => ({ value: String(index + 1), label }))

/** A day of the month, such as "1st" or "last day". */
const monthDay = (day: number): string =>
  day === LAST_DAY ? t(m.payouts_last_day) : t(m.payouts_day_of_month, { day })

const monthDayOptions = () =>
  [...Array.from({ length: 28 }, (_, index) => index + 1), LAST_DAY].map((day) => ({
    value: String(day),
    label: day === LAST_DAY ? t(m.payouts_last_day_month) : monthDay(day),
  }))

export const SCHEDULE_LABELS = {
  payoutSchedule: m.layout_payout_schedule,
  payoutDays: m.payouts_days,
  reviewDays: m.payouts_review_period_days,
}

/** A schedule as form fields. `payoutDay` and `secondPayoutDay` are days of the month. */
export const scheduleFields = ({
  payoutSchedule,
  payoutDays: [first, second],
}: Schedule): Fields => ({
  payoutSchedule,
  ...(first !== undefined && {
    [payoutSchedule === 'weekly' ? 'payoutWeekday' : 'payoutDay']: String(first),
  }),
  ...(second !== undefined && { secondPayoutDay: String(second) }),
})

/**
 * The fields of a schedule's days. A Map, because a browser may send `__proto__` as the schedule.
 */
const DAY_FIELDS = new Map([
  ['weekly', ['payoutWeekday']],
  ['monthly', ['payoutDay']],
  ['twice_monthly', ['payoutDay', 'secondPayoutDay']],
])

/** The fields of the chosen schedule as API input. */
export const readSchedule = (fields: Fields) => {
  const { payoutSchedule } = fields
  const names = DAY_FIELDS.get(payoutSchedule ?? '')
  const payoutDays = names?.flatMap((name) => numberIn(fields, name) ?? [])
  return { payoutSchedule, payoutDays: payoutDays?.length ? payoutDays : null }
}

type ScheduleInputsProps = { fields: Fields; errors: ErrorDetail[] | undefined }

/** The inputs for a schedule. The stylesheet shows only the days of the selected schedule. */
export const ScheduleInputs = ({ fields, errors }: ScheduleInputsProps) => {
  const [first, second] = DEFAULT_DAYS.twice_monthly.map(String)
  const problem = errors?.find(({ path }) => path === 'payoutDays')
  return (
    <fieldset class="schedule" id="payoutDays">
      <legend>{t(m.layout_payout_schedule)}</legend>
      <Select
        label={t(m.nav_payouts)}
        name="payoutSchedule"
        hint={t(m.payouts_schedule_hint)}
        options={SCHEDULES}
        value={fields.payoutSchedule ?? 'manual'}
        errors={errors}
      />
      {problem && <p class="error">{problem.message}</p>}
      <div data-schedule="weekly">
        <Select
          label={t(m.payouts_weekday)}
          name="payoutWeekday"
          options={WEEKDAY_OPTIONS}
          value={fields.payoutWeekday ?? '1'}
        />
      </div>
      <div data-schedule="month">
        <Select
          label={t(m.layout_day)}
          name="payoutDay"
          options={monthDayOptions()}
          value={fields.payoutDay ?? first}
        />
      </div>
      <div data-schedule="twice">
        <Select
          label={t(m.payouts_second_day)}
          name="secondPayoutDay"
          options={monthDayOptions()}
          value={fields.secondPayoutDay ?? second}
        />
      </div>
      <div data-schedule="any">
        <Field
          label={t(SCHEDULE_LABELS.reviewDays)}
          name="reviewDays"
          hint={t(m.payouts_review_hint)}
          inputmode="numeric"
          autocomplete="off"
          value={fields.reviewDays ?? '0'}
          errors={errors}
        />
      </div>
    </fieldset>
  )
}

/** When a schedule pays, such as "On the 1st and 15th of each month". */
const scheduleWords = ({ payoutSchedule, payoutDays }: Schedule): string => {
  if (payoutSchedule === 'manual') return t(m.payouts_manual)
  const [first = 1, second] = payoutDays
  if (payoutSchedule === 'weekly')
    return t(m.payouts_every_weekday, { day: shown(WEEKDAYS[first - 1] ?? '') })
  return second === undefined
    ? t(m.payouts_each_month, { day: monthDay(first) })
    : t(m.payouts_twice_each_month, { first: monthDay(first), second: monthDay(second) })
}

/** A program's payout schedule, such as "Every Monday, next on 2026-11-23". */
export const describeSchedule = (
  schedule: Parameters<typeof nextOccurrence>[0] & Schedule,
  now: Date,
): string => {
  const next = nextOccurrence(schedule, now)
  const words = scheduleWords(schedule)
  return next ? t(m.payouts_schedule_next, { words, day: next.toISOString().slice(0, 10) }) : words
}
