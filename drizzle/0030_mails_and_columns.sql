CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"kind" text NOT NULL,
	"recipient" text,
	"subject" text,
	"body" text,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"next_try_at" timestamp with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"reason" text,
	"code" text,
	"gave_up_at" timestamp with time zone,
	CONSTRAINT "mails_reason" CHECK ("mails"."reason" in ('refused', 'later', 'unreached', 'certificate', 'login')),
	CONSTRAINT "mails_given_up" CHECK (num_nonnulls("mails"."recipient", "mails"."subject", "mails"."body") = case when "mails"."gave_up_at" is null then 3 else 0 end)
);
--> statement-breakpoint
CREATE TABLE "import_sources" (
	"source" text PRIMARY KEY NOT NULL,
	"columns" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"refused" jsonb
);
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "mailed_state" text;--> statement-breakpoint
ALTER TABLE "privacy_requests" ADD COLUMN "mailed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("next_try_at") WHERE "mails"."gave_up_at" is null;--> statement-breakpoint
CREATE INDEX "payments_decided" ON "payments" USING btree ("decided_at");