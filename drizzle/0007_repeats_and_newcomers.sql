CREATE TABLE "newcomers" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"mailbox" text NOT NULL,
	"trial_credits" integer NOT NULL,
	"trial_lasts" interval NOT NULL,
	"welcomed_at" timestamp with time zone,
	"refusal" text,
	CONSTRAINT "newcomers_refusal" CHECK ("newcomers"."refusal" in ('mailbox', 'throwaway'))
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "repeats" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "referrals" ADD COLUMN "paid_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "referrals" ADD COLUMN "credits" integer;--> statement-breakpoint
CREATE UNIQUE INDEX "newcomers_mailbox" ON "newcomers" USING btree ("mailbox") WHERE "newcomers"."welcomed_at" is not null;--> statement-breakpoint
CREATE INDEX "referrals_due" ON "referrals" USING btree ("paid_at") WHERE "referrals"."rewarded_at" is null;

--> statement-breakpoint
-- The accounts that are there have had their trial. The oldest of a mailbox is its person's first; the rules of single
-- mail providers, which `src/people/users/mailbox.ts` has, matter for Gmail alone here.
insert into newcomers (account_id, mailbox, trial_credits, trial_lasts, welcomed_at, refusal)
select account_id, encode(sha256(convert_to(mailbox, 'UTF8')), 'hex'), 0, interval '0',
       case when place = 1 then created_at end, case when place > 1 then 'mailbox' end
  from (
    select m.account_id, u.created_at, address.mailbox,
           row_number() over (partition by address.mailbox order by u.created_at, u.id) as place
      from members m
      join users u on u.id = m.user_id
     cross join lateral (
            select coalesce(nullif(split_part(split_part(u.email, '@', 1), '+', 1), ''), split_part(u.email, '@', 1)) as local,
                   split_part(u.email, '@', 2) as domain) part
     cross join lateral (
            select case when part.domain in ('gmail.com', 'googlemail.com')
                        then replace(part.local, '.', '') || '@gmail.com'
                        else part.local || '@' || part.domain end as mailbox) address
     where m.role = 'owner'
  ) owners;
