CREATE TABLE "payment_claims" (
	"id" text PRIMARY KEY NOT NULL,
	"reference" text NOT NULL,
	"charged" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"stage" smallint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "payment_claims_amount" CHECK ("payment_claims"."charged" > 0 and "payment_claims"."amount" >= 0),
	CONSTRAINT "payment_claims_stage" CHECK ("payment_claims"."stage" in (0, 1, 2))
);
--> statement-breakpoint
CREATE TABLE "payment_grants" (
	"grant_id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"taken_back" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "outcome" text;--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "is_alert" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_events" ADD COLUMN "dismissed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "refused_by" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "checkout" text;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "charged" bigint;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "reversed" bigint;--> statement-breakpoint
ALTER TABLE "payment_grants" ADD CONSTRAINT "payment_grants_grant_id_credit_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."credit_grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_grants" ADD CONSTRAINT "payment_grants_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payment_claims_reference" ON "payment_claims" USING btree ("reference");--> statement-breakpoint
CREATE INDEX "payment_grants_payment" ON "payment_grants" USING btree ("payment_id");--> statement-breakpoint
CREATE INDEX "payment_events_waiting" ON "payment_events" USING btree ("at") WHERE "payment_events"."outcome" = 'waiting' and "payment_events"."dismissed_at" is null;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_outcome" CHECK ("payment_events"."outcome" in ('applied', 'ignored', 'waiting'));--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_reversed" CHECK ("payments"."reversed" between 0 and "payments"."charged");
--> statement-breakpoint
-- The grants of payments that were accepted before: each was made a moment before its payment was marked as accepted.
INSERT INTO "payment_grants" ("grant_id", "payment_id")
SELECT g.id, p.id
  FROM payments p
 CROSS JOIN LATERAL (
       SELECT g.id FROM credit_grants g
        WHERE g.account_id = p.account_id AND g.source = p.kind AND g.amount = p.credits
          AND g.created_at BETWEEN p.decided_at - interval '1 minute' AND p.decided_at
        ORDER BY g.created_at DESC LIMIT 1) g
 WHERE p.state = 'accepted'
ON CONFLICT DO NOTHING;--> statement-breakpoint
-- The grants of referrals on both sides, with the guest's first payment.
INSERT INTO "payment_grants" ("grant_id", "payment_id")
SELECT g.id, p.id
  FROM referrals r
 CROSS JOIN LATERAL (
       SELECT p.id FROM payments p
        WHERE p.account_id = r.account_id AND p.state = 'accepted' ORDER BY p.decided_at LIMIT 1) p
 CROSS JOIN LATERAL (
       (SELECT g.id FROM credit_grants g
         WHERE g.account_id = r.account_id AND g.source = 'referral' AND g.created_at >= r.rewarded_at
         ORDER BY g.created_at LIMIT 1)
       UNION ALL
       (SELECT g.id FROM credit_grants g
         WHERE g.account_id = r.referrer_id AND g.source = 'referral'
           AND g.created_at BETWEEN r.rewarded_at AND r.rewarded_at + interval '1 minute'
         ORDER BY g.created_at LIMIT 1)) g
ON CONFLICT DO NOTHING;
