CREATE TABLE "audit_log" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"via" text NOT NULL,
	"user_id" uuid,
	"who" text NOT NULL,
	"address" text,
	"act" text NOT NULL,
	"account_id" uuid,
	"subjects" uuid[] DEFAULT '{}' NOT NULL,
	"before" jsonb,
	"after" jsonb,
	CONSTRAINT "audit_log_via" CHECK ("audit_log"."via" in ('command', 'page')),
	CONSTRAINT "audit_log_user" CHECK (("audit_log"."via" = 'page') = ("audit_log"."user_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "operator_link" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"hash" text NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"taken_at" timestamp with time zone,
	CONSTRAINT "operator_link_one" CHECK ("operator_link"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "operator_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","sequence");--> statement-breakpoint
CREATE INDEX "audit_log_user" ON "audit_log" USING btree ("user_id","sequence");--> statement-breakpoint
CREATE INDEX "audit_log_subjects" ON "audit_log" USING gin ("subjects");