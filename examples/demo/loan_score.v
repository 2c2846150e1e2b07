// SPDX-License-Identifier: Apache-2.0
// A loan decision on an applicant's private figures. Whoever runs it learns neither the figures nor the decision.
module loan_score (
    input  [7:0] income,          // a month, in hundreds
    input  [7:0] debt_payments,   // a month, in hundreds
    input  [6:0] age,             // years
    input  [5:0] years_employed,
    input  [3:0] late_payments,   // in the last three years
    input        owns_home,
    output [7:0] score,           // 0 to 255
    output       eligible,
    output [1:0] offer            // 0 none, 1 standard, 2 good, 3 best rate
);
  // What is left of the income; more debt than income leaves nothing.
  wire [7:0] free_income = income > debt_payments ? income - debt_payments : 8'd0;

  // Points: half the free income, two a year of employment (up to 15 years), twelve for a home, eight lost a late payment.
  wire [3:0] counted_years = years_employed > 15 ? 4'd15 : years_employed[3:0];
  wire [7:0] gained = 8'd40 + free_income[7:1] + {counted_years, 1'b0} + (owns_home ? 8'd12 : 8'd0);
  wire [7:0] lost = {1'b0, late_payments, 3'b000};
  assign score = gained > lost ? gained - lost : 8'd0;

  wire of_age = age >= 18 && age < 75;
  wire affordable = {debt_payments, 1'b0} <= income;  // payments take at most half the income
  assign eligible = of_age && affordable && score >= 70;
  assign offer = !eligible ? 2'd0 : score >= 110 ? 2'd3 : score >= 90 ? 2'd2 : 2'd1;
endmodule
